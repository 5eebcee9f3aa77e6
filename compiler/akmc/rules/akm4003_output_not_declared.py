"""A reference to an output that has no declared type."""

from collections.abc import Iterator

from akmc.references import output_type, uses
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """References to steps without an output type."""
    for use in uses(view.workflow):
        step = view.steps.get(use.reference.name) if use.reference.root == "output" else None
        if step is not None and output_type(step) is None:
            yield Finding(
                use.place,
                f"step `{use.step}` refers to the output of `{step.name}`, which declares none",
                f"add `output TYPE` to step `{step.name}`, if it leaves something behind",
            )


RULE = Rule(
    code="AKM4003",
    title="A step declares no output",
    explanation=(
        "What a step leaves behind is what its `output` clause declares; without one there is nothing to "
        "refer to. Only steps that start a process, and waits for a signal, can have one."
    ),
    wrong="""\
workflow release "Build and upload" {
  step build: exec build { on passed -> upload }
  step upload: exec upload {
    with { built: build.output }
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
    with { built: build.output }
    on passed -> completed
  }
}
""",
    check=check,
)
