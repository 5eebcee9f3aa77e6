"""A property that compares a step with itself."""

from collections.abc import Iterator

from akmc.document import Before, NeverAfter
from akmc.properties import named_steps, places, written
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Properties of two steps that name one step twice."""
    for place, stated in places(view.workflow):
        names = [name for _, name in named_steps(stated)]
        if len(names) == 2 and names[0] == names[1]:
            match stated:
                case Before():
                    why, meant = "no run could ever begin the step", "name the step that has to come first"
                case NeverAfter():
                    why, meant = "it says that the step is entered once", f"write `require {names[0]} at most 1`"
                case _:
                    why, meant = "it says nothing", "name the step that has to be gone through"
            yield Finding(place, f"`{written(stated)}` names one step twice: {why}", meant)


RULE = Rule(
    code="AKM2020",
    title="A property compares a step with itself",
    explanation=(
        "A property of two steps says something about their order. Of one step it says nothing, or too much."
    ),
    wrong="""\
workflow release "Check, then upload" {
  step check: gate check { on passed -> upload }
  step upload: exec upload { on passed -> completed }
  require upload before upload
}
""",
    right="""\
workflow release "Check, then upload" {
  step check: gate check { on passed -> upload }
  step upload: exec upload { on passed -> completed }
  require check before upload
}
""",
    check=check,
)
