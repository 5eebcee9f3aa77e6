"""A map over something that is no list."""

from collections.abc import Iterator

from akmc.clash import clash
from akmc.document import MapStep
from akmc.references import over_of, text, walk
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """What maps go over, by its declared type."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, MapStep):
            found = walk(view, over_of(step))
            whole = found is not None and found.followed == len(step.over.path)
            reason = clash(found.type, {"type": "array"}) if found is not None and whole else None
            if reason is not None:
                message = f"map `{step.name}` goes over `{text(step.over)}`, which is no list: {reason}"
                yield Finding(("steps", at, "over"), message, "name a list, or declare it as `list of TYPE`")


RULE = Rule(
    code="AKM4014",
    title="A map goes over no list",
    explanation=(
        "A map makes one assignment for each item of a list. Of anything else it is not known what its items are."
    ),
    wrong="""\
workflow release "Build each" {
  param targets: string
  step build: map target in params.targets {
    run tool build
    with { target: target }
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
