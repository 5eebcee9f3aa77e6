"""Two properties that say the same, or of which one makes the other one idle."""

from collections.abc import Iterator

from akmc.document import Before, NeverAfter, Property
from akmc.properties import named_steps, places, written
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Each property beside those that stand before it."""
    earlier: dict[tuple[str, ...], Property] = {}
    for place, stated in places(view.workflow):
        other = earlier.get(_key(stated))
        if other is not None:
            odd = "is stated already" if other == stated else f"bounds the step that `{written(other)}` bounds"
            yield Finding(place, f"`{written(stated)}` {odd}", "keep the one that is meant")
        for key in _contradicting(stated):
            if key in earlier and other is None:
                odd = f"and `{written(earlier[key])}` leave no run that enters `{key[-1]}`"
                yield Finding(place, f"`{written(stated)}` {odd}", "keep the one that is meant")
        earlier.setdefault(_key(stated), stated)


def _key(stated: Property) -> tuple[str, ...]:
    """What a property is about, so that two of one key are one too many."""
    return (stated.kind, *(name for _, name in named_steps(stated)))


def _contradicting(stated: Property) -> Iterator[tuple[str, ...]]:
    """The keys of properties that none but a run without the step could keep beside this one."""
    match stated:
        case Before() if stated.first != stated.step:
            yield "never_after", stated.step, stated.first
            yield "before", stated.step, stated.first
        case NeverAfter() if stated.step != stated.after:
            yield "before", stated.after, stated.step
        case _:
            pass


RULE = Rule(
    code="AKM2021",
    title="Two properties do not go together",
    explanation=(
        "A property is stated once. Two that bound one step with two numbers, or that only a run without the "
        "step could keep, are a slip: one of them is not what was meant."
    ),
    wrong="""\
workflow release "Check, then upload" {
  step check: gate check { on passed -> upload }
  step upload: exec upload { on passed -> completed }
  require check before upload
  never upload after check
}
""",
    right="""\
workflow release "Check, then upload" {
  step check: gate check { on passed -> upload }
  step upload: exec upload { on passed -> completed }
  require check before upload
  never check after upload
}
""",
    check=check,
)
