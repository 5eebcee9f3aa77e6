"""An item of a map with a name that means something else already."""

from collections.abc import Iterator

from akmc.document import MapStep
from akmc.rules.akm2002_reserved_name import RESERVED
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Names of items that are steps, or words of the language."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, MapStep) and (step.item in view.steps or step.item in RESERVED):
            what = "a step" if step.item in view.steps else "a word of the language"
            yield Finding(
                ("steps", at, "item"),
                f"map `{step.name}`: its item is called `{step.item}`, which is {what}",
                "give the item another name",
            )


RULE = Rule(
    code="AKM2017",
    title="An item's name is taken",
    explanation=(
        "Inside a map, its item's name begins a reference. If a step were called the same, or the name were "
        "`params`, `true`, `false`, `null` or a terminal, nobody could see which is meant."
    ),
    wrong="""\
workflow release "Build each" {
  param targets: list max 5 of string
  step build: map build in params.targets {
    run tool build
    with { target: build }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build each" {
  param targets: list max 5 of string
  step build: map target in params.targets {
    run tool build
    with { target: target }
    on passed -> completed
  }
}
""",
    check=check,
)
