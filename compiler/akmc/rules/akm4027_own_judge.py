"""A judge of its own work."""

from collections.abc import Iterator

from akmc.document import JudgeStep, Place, Step
from akmc.rules.rule import Finding, Rule
from akmc.view import View, agents_of


def check(view: View) -> Iterator[Finding]:
    """Judges that are among the agents whose artifact they judge."""
    for at, step in enumerate(view.workflow.steps):
        for place, judge, judged in _judged(view, step):
            if judge in agents_of(judged):
                message = f"agent `{judge}` would judge what it made itself in step `{judged.name}`"
                yield Finding(("steps", at, *place), message, "let another agent judge")


def _judged(view: View, step: Step) -> Iterator[tuple[Place, str | None, Step]]:
    """Who judges what: the place of the judge within `step`, the judge, and the step whose artifact it is."""
    if step.gate is not None:
        yield ("gate",), view.judge_of(step), step
    if isinstance(step, JudgeStep) and step.of is not None and step.of.root == "output":
        judged = view.steps.get(step.of.name)
        if judged is not None and judged is not step:
            yield ("agent",), step.agent, judged


RULE = Rule(
    code="AKM4027",
    title="An agent judges its own work",
    explanation=(
        "Whoever made something finds it good. A judge of another tool, or at least of another model, sees what "
        "the first one did not."
    ),
    wrong="""\
workflow write "Write and have it judged" {
  step write: agent coder {
    prompt "Write the release notes."
    gate { judge coder, rubric "They name every change." }
    on passed -> completed
  }
}
""",
    right="""\
workflow write "Write and have it judged" {
  step write: agent coder {
    prompt "Write the release notes."
    gate { judge critic_a, rubric "They name every change." }
    on passed -> completed
  }
}
""",
    check=check,
    severity="warning",
)
