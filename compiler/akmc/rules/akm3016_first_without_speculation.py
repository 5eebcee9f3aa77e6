"""A panel that begins work whose results it will throw away."""

from collections.abc import Iterator

from akmc.document import PanelStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """`first` without `safe to speculate`, and that without `first`."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, PanelStep):
            continue
        first = step.join is not None and step.join.strategy == "first"
        if first and not step.speculative:
            message = f"panel `{step.name}` takes the first result, and nobody said that the others do no harm"
            yield Finding(("steps", at, "join"), message, "add `safe to speculate`, if that is so")
        if step.speculative and not first:
            message = f"panel `{step.name}` is `safe to speculate`, but needs all of its results"
            yield Finding(("steps", at, "speculative"), message, "take it out, or write `join first`")


RULE = Rule(
    code="AKM3016",
    title="Speculation is not declared",
    explanation=(
        "`join first` lets several agents begin and uses the work of one. What the others did stays done, so the "
        "author has to state that this is safe."
    ),
    wrong="""\
workflow answer "Whoever answers first" {
  step answer: panel {
    assign 2 of [critic_a, critic_b]
    join first then cancel
    prompt "What does the log say?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    right="""\
workflow answer "Whoever answers first" {
  step answer: panel {
    assign 2 of [critic_a, critic_b]
    join first then cancel
    safe to speculate
    prompt "What does the log say?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
)
