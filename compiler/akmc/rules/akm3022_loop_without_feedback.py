"""A gate that would send work back to somebody who cannot read why."""

from collections.abc import Iterator

from akmc.document import AgentStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """`max_loops` above 1 on steps that no agent does."""
    for at, step in enumerate(view.workflow.steps):
        loops = None if step.gate is None else step.gate.max_loops
        if loops is not None and loops > 1 and not isinstance(step, AgentStep):
            yield Finding(
                ("steps", at, "gate", "max_loops"),
                f"step `{step.name}` cannot read what its judge says, so it is judged once and not {loops} times",
                "write `max_loops 1`, or take it out",
            )


RULE = Rule(
    code="AKM3022",
    title="A loop has nobody who reads the feedback",
    explanation=(
        "After a rejection an agent is given the judge's feedback and tries again. What any other step does is "
        "frozen: a second time it would do the same, with the same effect. So it is judged once, whatever is "
        "written."
    ),
    wrong="""\
workflow build "Build and have it judged" {
  step build: exec build {
    output { notes: string }
    gate { judge critic_a, rubric "The notes name every change.", max_loops 2 }
    on passed -> completed
  }
}
""",
    right="""\
workflow build "Write and have it judged" {
  step write: agent coder {
    prompt "Write the release notes."
    output { notes: string }
    gate { judge critic_a, rubric "The notes name every change.", max_loops 2 }
    on passed -> completed
  }
}
""",
    check=check,
    severity="warning",
)
