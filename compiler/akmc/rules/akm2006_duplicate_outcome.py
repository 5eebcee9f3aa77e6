"""Two ways for one outcome."""

from collections.abc import Iterator

from akmc.document import ExecStep, Place
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Outcomes of lines, values of branches, exit codes."""
    for line in view.flow.lines:
        if line.repeats:
            yield Finding(
                line.place,
                f"step `{line.source}`: `{line.outcome}` already leads somewhere",
                "keep one of the two lines",
            )
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, ExecStep):
            yield from _exits(step, view, ("steps", at, "exits"))


def _exits(step: ExecStep, view: View, place: Place) -> Iterator[Finding]:
    codes = [each.code for each in step.exits]
    refusals = {each.exit for tool in view.tools_of(step) for each in tool.rejects}
    for index, code in enumerate(codes):
        if code in codes[:index]:
            message = f"step `{step.name}`: exit code {code} already means an outcome"
            yield Finding((*place, index), message, "keep one of the two lines")
        elif code in refusals:
            message = f"step `{step.name}`: by exit code {code}, tool `{step.tool}` refuses to work"
            yield Finding((*place, index), message, "choose another exit code, or change the registry")


RULE = Rule(
    code="AKM2006",
    title="An outcome leads to two places",
    explanation=(
        "One outcome selects one transition, one value one branch, and one exit code one outcome. An exit code by "
        "which the registry lets the tool refuse to work is no outcome any more."
    ),
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
