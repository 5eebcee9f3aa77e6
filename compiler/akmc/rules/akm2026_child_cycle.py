"""A workflow that would run itself."""

from collections.abc import Iterator

from akmc.children import faults
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Children that are the workflow itself, or one that it is nested in."""
    for place, step, child in faults(view.workflow, view.children, "cycle"):
        message = f"step `{step.name}`: `{step.path}` would run itself: {child.why}"
        yield Finding(place, message, "name another workflow; a loop is an outcome that leads back")


RULE = Rule(
    code="AKM2026",
    title="A workflow runs itself",
    explanation=(
        "A plan pins the plans of its children by their hashes, so no workflow can be its own child, nor its "
        "child's. Here, the wrong file is called `example.akm`."
    ),
    wrong="""\
workflow release "Again and again" {
  step again: workflow "example.akm" {
    on completed -> completed
    on cancelled -> cancelled
  }
}
""",
    right="""\
workflow release "Once more" {
  step again: workflow "child.akm" {
    on completed -> completed
    on cancelled -> cancelled
  }
}
""",
    child="""\
workflow child "Test" {
  step test: gate check { on passed -> completed }
}
""",
    check=check,
)
