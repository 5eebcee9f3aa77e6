"""Two ways for one outcome."""

from collections.abc import Iterator

from akmc.document import ExecStep
from akmc.flow import lines_of
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Outcomes of lines, values of branches, exit codes."""
    for line in lines_of(view.workflow):
        if line.repeats:
            yield Finding(
                line.place,
                f"step `{line.source}`: `{line.outcome}` already leads somewhere",
                "keep one of the two lines",
            )
    for at, step in enumerate(view.workflow.steps):
        codes = [each.code for each in step.exits] if isinstance(step, ExecStep) else []
        for index, code in enumerate(codes):
            if code in codes[:index]:
                yield Finding(
                    ("steps", at, "exits", index),
                    f"step `{step.name}`: exit code {code} already means an outcome",
                    "keep one of the two lines",
                )


RULE = Rule(
    code="AKM2006",
    title="An outcome leads to two places",
    explanation=("One outcome selects one transition, one value one branch, and one exit code one outcome."),
    wrong="""\
workflow release "Build" {
  step build: exec build {
    on passed -> completed
    on failed -> failed
    on failed -> cancelled
  }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build {
    on passed -> completed
    on failed -> cancelled
  }
}
""",
    check=check,
)
