"""A vote on nothing."""

from collections.abc import Iterator

from akmc.document import MapStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """`reduce vote` without `output`."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, MapStep) and step.reducer == "vote" and step.output is None:
            message = f"map `{step.name}` votes, and its items put nothing out to vote on"
            yield Finding(("steps", at, "reducer"), message, "add `output TYPE`")


RULE = Rule(
    code="AKM4015",
    title="A vote needs an output",
    explanation=("`reduce vote` takes the output that most items agree on. Without an `output` there is none."),
    wrong="""\
workflow judge "Ask about each file" {
  param files: list max 5 of file
  step ask: map file in params.files {
    run agent critic_a
    prompt "Is this file sound?"
    reduce vote
    on passed -> completed
  }
}
""",
    right="""\
workflow judge "Ask about each file" {
  param files: list max 5 of file
  step ask: map file in params.files {
    run agent critic_a
    prompt "Is this file sound?"
    output { sound: boolean }
    reduce vote
    on passed -> completed
  }
}
""",
    check=check,
)
