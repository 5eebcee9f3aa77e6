"""A reference to a parameter that the workflow does not have."""

from collections.abc import Iterator

from akmc.references import uses
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """References whose parameter is not declared."""
    for use in uses(view.workflow):
        name = use.reference.name
        if use.reference.root == "params" and name not in view.params:
            yield Finding(
                use.place,
                f"step `{use.step}` refers to parameter `{name}`, which the workflow does not have",
                instead_of(name, view.params, "parameters"),
            )


RULE = Rule(
    code="AKM4001",
    title="A parameter is unknown",
    explanation=("`params.NAME` refers to a `param` of the same workflow."),
    wrong="""\
workflow release "Build" {
  param version: string
  step build: exec build {
    with { version: params.verson }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  param version: string
  step build: exec build {
    with { version: params.version }
    on passed -> completed
  }
}
""",
    check=check,
)
