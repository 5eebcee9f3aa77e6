"""A pin that no step captures."""

from collections.abc import Iterator

from akmc.pins import pins_of
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """Names behind `requires pin`."""
    known = [pin.name for pin in pins_of(view.workflow)]
    for at, step in enumerate(view.workflow.steps):
        for index, name in enumerate(step.requires):
            if name not in known:
                message = f"step `{step.name}` requires pin `{name}`, which no step captures"
                yield Finding(("steps", at, "requires", index), message, instead_of(name, known, "pins"))


RULE = Rule(
    code="AKM4021",
    title="A pin is unknown",
    explanation=("`requires pin NAME` names an `evidence NAME: artifact { pin }` of another step."),
    wrong="""\
workflow release "Build, check, upload what was checked" {
  step build: exec build {
    output { wheel: file }
    evidence wheel: artifact { pin }
    on passed -> check
  }
  step check: gate check { on passed -> upload }
  step upload: exec upload {
    with { wheel: build.output.wheel }
    requires pin whele
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
