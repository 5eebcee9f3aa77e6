"""A pin on evidence that no file holds."""

from collections.abc import Iterator

from akmc.pins import pins_of
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Pins on other kinds of evidence than artifacts."""
    for pin in pins_of(view.workflow):
        if pin.kind != "artifact":
            message = f"step `{pin.step}`: `{pin.name}` is of kind `{pin.kind}`, which nothing can change"
            yield Finding((*pin.place, "pin"), message, "pin an artifact, or take `pin` out")


RULE = Rule(
    code="AKM4025",
    title="There is nothing to pin",
    explanation=(
        "A pin fixes what a file holds, and whoever requires it finds out that the file was changed. A result, a "
        "receipt, a verdict and a decision stand in the journal, where nothing changes them."
    ),
    wrong="""\
workflow release "Build, check, upload what was checked" {
  step build: exec build {
    output { wheel: file }
    evidence wheel: result { pin }
    on passed -> check
  }
  step check: gate check { on passed -> upload }
  step upload: exec upload {
    with { wheel: build.output.wheel }
    requires pin wheel
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build, check, upload what was checked" {
  step build: exec build {
    output { wheel: file }
    evidence wheel: artifact { pin }
    on passed -> check
  }
  step check: gate check { on passed -> upload }
  step upload: exec upload {
    with { wheel: build.output.wheel }
    requires pin wheel
    on passed -> completed
  }
}
""",
    check=check,
)
