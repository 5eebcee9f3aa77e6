"""A parameter that nothing uses."""

from collections.abc import Iterator

from akmc.references import uses
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Parameters without a reference. While a reference names none of them, it may mean any of them."""
    used = {use.reference.name for use in uses(view.workflow) if use.reference.root == "params"}
    if not used <= view.params.keys():
        return
    for at, param in enumerate(view.workflow.params):
        if param.name not in used:
            message = f"nothing uses parameter `{param.name}`"
            yield Finding(("params", at, "name"), message, f"refer to it as `params.{param.name}`, or take it out")


RULE = Rule(
    code="AKM2023",
    title="A parameter is not used",
    explanation=(
        "Whoever starts a run has to give a value, or believes to decide something, and nothing comes of it."
    ),
    wrong="""\
workflow release "Build" {
  param version: string
  step build: exec build { on passed -> completed }
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
    severity="warning",
)
