"""A review that one answer would decide."""

from collections.abc import Iterator

from akmc.document import PanelStep
from akmc.properties import required_steps
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """`first` on panels that several have to agree in, or that a property relies on."""
    required = required_steps(view.workflow)
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, PanelStep) and step.join is not None and step.join.strategy == "first":
            why = _review(step, required)
            if why is not None:
                message = f"panel `{step.name}` is a review, since {why}, and `join first` asks for one opinion"
                yield Finding(("steps", at, "join"), message, "write `join settled pass N`")


def _review(step: PanelStep, required: frozenset[str]) -> str | None:
    if step.name in required:
        return "a `require` names it"
    if step.assign is not None and step.assign.distinct:
        return "its agents have to differ"
    if any(each.producers is not None for each in step.evidence):
        return "its evidence needs producers"
    return None


RULE = Rule(
    code="AKM3017",
    title="A review takes the first answer",
    explanation=(
        "A panel that a `require` names, whose agents have to differ, or whose evidence needs producers, is there "
        "so that several look. With `join first`, the quickest alone would decide."
    ),
    wrong="""\
workflow release "Review, then upload" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    join first
    safe to speculate
    prompt "Is the change sound?"
    on passed         -> upload
    on quorum_not_met -> failed
  }
  step upload: exec upload { on passed -> completed }
  require review before upload
}
""",
    right="""\
workflow release "Review, then upload" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    join settled pass 2
    prompt "Is the change sound?"
    on passed         -> upload
    on quorum_not_met -> failed
  }
  step upload: exec upload { on passed -> completed }
  require review before upload
}
""",
    check=check,
)
