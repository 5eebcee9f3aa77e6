"""A child workflow that is given what it has no parameter for."""

from collections.abc import Iterator

from akmc.children import called
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """Members of a child's `with` that are no parameters."""
    for place, step, plan in called(view.workflow, view.children):
        params = [param["name"] for param in plan["parameters"]]
        for name in () if step.input is None else step.input.members:
            if name not in params:
                message = f"step `{step.name}`: the workflow `{plan['workflow']}` has no parameter `{name}`"
                yield Finding((*place, "input", "members", name), message, instead_of(name, params, "parameters"))


RULE = Rule(
    code="AKM2029",
    title="A child has no such parameter",
    explanation=("`with` gives a child its parameters by their names. Another name would be ignored."),
    wrong="""\
workflow release "Test elsewhere" {
  step test: workflow "child.akm" {
    with { levle: "strict" }
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
  param level: string = "lax"
  step test: gate check {
    with { level: params.level }
    on passed -> completed
  }
}
""",
    check=check,
)
