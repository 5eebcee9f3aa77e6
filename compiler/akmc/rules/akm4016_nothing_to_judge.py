"""A gate of a step that leaves nothing behind."""

from collections.abc import Iterator

from akmc.document import ChildStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View, has_process


def check(view: View) -> Iterator[Finding]:
    """Gates of steps that start no process, children with an output excepted."""
    for at, step in enumerate(view.workflow.steps):
        child = isinstance(step, ChildStep) and step.output is not None
        if step.gate is not None and not child and not has_process(step):
            message = f"step `{step.name}` makes nothing that `gate` could have judged"
            yield Finding(("steps", at, "gate"), message, "give `gate` to the step that makes the artifact")


RULE = Rule(
    code="AKM4016",
    title="There is nothing to judge",
    explanation=(
        "The `gate` of a step judges the artifact that the step makes. A decision, a wait, a route, a delivery, "
        "a look at files or at a value makes none, nor does a child of which no output is taken."
    ),
    wrong="""\
workflow pause "Wait a little" {
  step pause: wait 10m {
    gate { judge critic_a, rubric "It was worth it." }
    on passed -> completed
  }
}
""",
    right="""\
workflow write "Write something" {
  step write: agent coder {
    prompt "Write the release notes."
    gate { judge critic_a, rubric "They are short." }
    on passed -> completed
  }
}
""",
    check=check,
)
