"""Evidence by an artifact that the output does not name."""

from collections.abc import Iterator

from akmc.document import WorkStep
from akmc.rules.rule import Finding, Rule
from akmc.types import file_fields
from akmc.view import View, has_process


def check(view: View) -> Iterator[Finding]:
    """Evidence of kind artifact without a required field of type file."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, WorkStep) or not has_process(step):
            continue
        files = file_fields(step.output or {})
        for index, each in enumerate(step.evidence):
            if each.kind == "artifact" and each.name not in files:
                yield Finding(
                    ("steps", at, "evidence", index),
                    f"step `{step.name}`: the output has no required field `{each.name}` of type `file`",
                    f"add `{each.name}: file` to the output, or name the evidence after such a field",
                )


RULE = Rule(
    code="AKM4011",
    title="An output names no such file",
    explanation=(
        "Evidence `NAME: artifact` is the file that the field NAME of the step's output names. That field "
        "must be there, required, and of type `file`."
    ),
    wrong="""\
workflow release "Build" {
  step build: exec build {
    output { path: file }
    evidence wheel: artifact
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build {
    output { wheel: file }
    evidence wheel: artifact
    on passed -> completed
  }
}
""",
    check=check,
)
