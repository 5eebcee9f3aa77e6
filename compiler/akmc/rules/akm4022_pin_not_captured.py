"""A pin that some path has not captured."""

from collections.abc import Iterator

from akmc.pins import captures, pins_of
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Required pins whose step some path to the use has not passed."""
    pins = {pin.name: pin for pin in reversed(list(pins_of(view.workflow)))}
    if not view.flow.whole or not pins:
        return
    captured = view.flow.left_before(captures)
    for at, step in enumerate(view.workflow.steps):
        for index, name in enumerate(step.requires):
            pin = pins.get(name)
            if pin is not None and step.name in captured and pin.step not in captured[step.name]:
                yield Finding(
                    ("steps", at, "requires", index),
                    f"step `{step.name}` requires pin `{name}`, which on some path `{pin.step}` has not captured",
                    f"let every path to `{step.name}` go through `{pin.step}`, by `passed`",
                )


RULE = Rule(
    code="AKM4022",
    title="A pin may not be captured yet",
    explanation=(
        "A step captures its pins when it passes. On every path to a step that requires one, the capturing step "
        "must have passed when it was last left."
    ),
    wrong="""\
workflow release "Check, build, upload" {
  step check: gate check {
    on passed -> build
    on failed -> upload
  }
  step build: exec build {
    output { wheel: file }
    evidence wheel: artifact { pin }
    on passed -> upload
  }
  step upload: exec upload {
    requires pin wheel
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Check, build, upload" {
  step check: gate check {
    on passed -> build
    on failed -> cancelled
  }
  step build: exec build {
    output { wheel: file }
    evidence wheel: artifact { pin }
    on passed -> upload
  }
  step upload: exec upload {
    requires pin wheel
    on passed -> completed
  }
}
""",
    check=check,
)
