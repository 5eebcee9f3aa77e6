"""A child workflow that is not given what it needs."""

from collections.abc import Iterator

from akmc.children import called
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import listed, nearest


def check(view: View) -> Iterator[Finding]:
    """Parameters of children that have no default and get no value."""
    for place, step, plan in called(view.workflow, view.children):
        given = {} if step.input is None else step.input.members
        missing = [param["name"] for param in plan["parameters"] if "default" not in param]
        meant = {nearest(name, missing) or name for name in given}  # a misspelt name is another rule's
        missing = [name for name in missing if name not in meant]
        if missing:
            message = f"step `{step.name}`: the workflow `{plan['workflow']}` also needs {listed(missing)}"
            yield Finding((*place, "input"), message, f"add `{missing[0]}: VALUE` to `with`")


RULE = Rule(
    code="AKM2028",
    title="A child lacks a parameter",
    explanation=(
        "A parameter without a default has to be given, to a child in `with` as to a run that someone starts."
    ),
    wrong="""\
workflow release "Test elsewhere" {
  step test: workflow "child.akm" {
    on completed -> completed
    on cancelled -> cancelled
  }
}
""",
    right="""\
workflow release "Test elsewhere" {
  step test: workflow "child.akm" {
    with { level: "strict" }
    on completed -> completed
    on cancelled -> cancelled
  }
}
""",
    child="""\
workflow child "Test" {
  param level: string
  step test: gate check {
    with { level: params.level }
    on passed -> completed
  }
}
""",
    check=check,
)
