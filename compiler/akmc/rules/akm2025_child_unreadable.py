"""A child workflow that cannot be read."""

from collections.abc import Iterator

from akmc.children import faults
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Children whose file cannot be had as text."""
    for place, step, child in faults(view.workflow, view.children, "unreadable"):
        message = f"step `{step.name}`: the workflow `{step.path}` cannot be read: {child.why}"
        yield Finding(place, message, "write a path that leads from this file to the other one")


RULE = Rule(
    code="AKM2025",
    title="A child workflow cannot be read",
    explanation=(
        "A child's source is looked for from where its parent's lies. It is compiled along, and its plan is pinned "
        "in the parent's."
    ),
    wrong="""\
workflow release "Test elsewhere" {
  step test: workflow "chlid.akm" {
    on completed -> completed
    on cancelled -> cancelled
  }
}
""",
    right="""\
workflow release "Test elsewhere" {
  step test: workflow "child.akm" {
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
