"""Two pins of one name."""

from collections.abc import Iterator

from akmc.pins import pins_of
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Pins that an earlier step captures already."""
    first: dict[str, str] = {}
    for pin in pins_of(view.workflow):
        earlier = first.setdefault(pin.name, pin.step)
        if earlier != pin.step:
            message = f"step `{pin.step}` pins `{pin.name}`, as step `{earlier}` does"
            yield Finding((*pin.place, "name"), message, "give one of the two another name")


RULE = Rule(
    code="AKM4020",
    title="Two steps pin one name",
    explanation=(
        "A pin is known by its name in the whole workflow. If two steps captured it, whoever requires it could not "
        "say which content is meant."
    ),
    wrong="""\
workflow release "Build twice" {
  step build: exec build {
    output { wheel: file }
    evidence wheel: artifact { pin }
    on passed -> rebuild
  }
  step rebuild: exec build {
    output { wheel: file }
    evidence wheel: artifact { pin }
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
