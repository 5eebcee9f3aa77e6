"""A reference to the output of a step that the workflow does not have."""

from collections.abc import Iterator

from akmc.references import uses
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """References whose step is not there."""
    for use in uses(view.workflow):
        name = use.reference.name
        if use.reference.root == "output" and name not in view.steps:
            yield Finding(
                use.place,
                f"step `{use.step}` refers to the output of `{name}`, which is no step",
                instead_of(name, view.steps, "steps"),
            )


RULE = Rule(
    code="AKM4002",
    title="A reference names no step",
    explanation=("`STEP.output` refers to a step of the same workflow."),
    wrong="""\
workflow release "Build and upload" {
  step build: exec build {
    output { wheel: file }
    on passed -> upload
  }
  step upload: exec upload {
    with { wheel: biuld.output.wheel }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build and upload" {
  step build: exec build {
    output { wheel: file }
    on passed -> upload
  }
  step upload: exec upload {
    with { wheel: build.output.wheel }
    on passed -> completed
  }
}
""",
    check=check,
)
