"""A join with a word too few or too many."""

from collections.abc import Iterator

from akmc.document import Join, PanelStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View

_COUNTING = ("settled", "quorum")
_ENDING_EARLY = ("quorum", "first")


def check(view: View) -> Iterator[Finding]:
    """The number and the `then` of joins."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, PanelStep) and step.join is not None:
            for member, what, meant in _amiss(step.join):
                yield Finding(("steps", at, "join", member), f"panel `{step.name}`: {what}", meant)


def _amiss(join: Join) -> Iterator[tuple[str, str, str]]:
    strategy = join.strategy
    if strategy in _COUNTING and join.passed is None:
        yield "strategy", f"`join {strategy}` says not how many have to pass", f"write `join {strategy} pass N`"
    if strategy not in _COUNTING and join.passed is not None:
        yield "passed", f"`join {strategy}` counts nothing", "take the number out"
    if strategy not in _ENDING_EARLY and join.remaining is not None:
        yield "remaining", f"`join {strategy}` waits for all, so nothing remains", "take `then` out"


RULE = Rule(
    code="AKM3015",
    title="A join lacks a word, or has one too many",
    explanation=(
        "`settled` and `quorum` count how many passed, `all` and `first` do not. `quorum` and `first` may be "
        "decided while some still work, and `then` says what becomes of those."
    ),
    wrong="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    join settled
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    right="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    join settled pass 1
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
)
