"""Evidence by a receipt that nobody can give."""

from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Evidence of kind receipt on a tool without a receipt query."""
    for at, step in enumerate(view.workflow.steps):
        tool = next((tool for tool in view.tools_of(step) if tool.receipt is None and not tool.reserved), None)
        if tool is None:
            continue
        for index, each in enumerate(step.evidence):
            if each.kind == "receipt":
                yield Finding(
                    ("steps", at, "evidence", index),
                    f"step `{step.name}`: tool `{tool.name}` has no receipt to prove `{each.name}` with",
                    "add `receipt [...]` to the tool in the registry, or ask for another kind of evidence",
                )


RULE = Rule(
    code="AKM4010",
    title="A tool gives no receipt",
    explanation=(
        "Evidence of kind `receipt` is what the tool's receipt query answers. A tool without a query has "
        "none to give."
    ),
    wrong="""\
workflow release "Build" {
  step build: exec build {
    evidence built: receipt
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Upload" {
  step upload: exec upload {
    evidence uploaded: receipt
    on passed -> completed
  }
}
""",
    check=check,
)
