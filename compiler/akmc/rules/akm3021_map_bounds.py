"""A map whose numbers do not go together."""

from collections.abc import Iterator

from akmc.bounds import items
from akmc.document import ITEMS_MAX, MapStep
from akmc.references import over_of, text, walk
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Bounds of maps beside the most items that there can be."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, MapStep):
            for member, why, meant in _exceeding(step, view):
                yield Finding(("steps", at, member), f"map `{step.name}`: {why}", meant)


def _exceeding(step: MapStep, view: View) -> Iterator[tuple[str, str, str]]:
    most = items(step, view)["value"]
    over = walk(view, over_of(step))
    whole = over is not None and over.followed == len(step.over.path)
    in_list = over.type.get("maxItems", ITEMS_MAX) if over is not None and whole else ITEMS_MAX
    if step.items is not None and step.items > in_list:
        list_ = text(step.over)
        yield "items", f"`{list_}` has at most {in_list}, never {step.items}", f"write `items {in_list}` or less"
    if step.parallel is not None and step.parallel > most:
        yield "parallel", f"{step.parallel} at a time of at most {most} items", f"write `parallel {most}` or less"
    if step.tolerate is not None and step.tolerate >= most:
        yield "tolerate", f"all of at most {most} items may fail", f"write `tolerate {most - 1}` or less"


RULE = Rule(
    code="AKM3021",
    title="A map's bounds exceed its items",
    explanation=(
        "A map has at most as many items as its list's type says, or as its `items`. Fewer of them may fail, and "
        "no more can be worked on at a time; otherwise a number would say nothing."
    ),
    wrong="""\
workflow release "Build each" {
  param targets: list max 5 of string
  step build: map target in params.targets {
    run tool build
    with { target: target }
    tolerate 5
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
    tolerate 1
    on passed -> completed
  }
}
""",
    check=check,
)
