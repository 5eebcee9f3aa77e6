"""An outcome that only the engine may give."""

from collections.abc import Iterator

from akmc.document import AgentStep, ExecStep, Place
from akmc.outcomes import DEFAULTED, ENGINE_ONLY
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Outcomes of `exit` lines, and those that an agent's lines declare."""
    for at, step in enumerate(view.workflow.steps):
        claimed: list[tuple[Place, str]] = []
        if isinstance(step, ExecStep):
            claimed = [(("exits", index), each.outcome) for index, each in enumerate(step.exits)]
        elif isinstance(step, AgentStep):
            claimed = [(("on", index), each.outcome) for index, each in enumerate(step.on)]
        for place, outcome in claimed:
            by_default = isinstance(step, AgentStep) and outcome in DEFAULTED
            if outcome in ENGINE_ONLY and not by_default:
                yield Finding(
                    ("steps", at, *place, "outcome"),
                    f"step `{step.name}`: `{outcome}` is an outcome that only the engine gives",
                    "choose another word for it",
                )


RULE = Rule(
    code="AKM2007",
    title="Only the engine gives this outcome",
    explanation=(
        "Whether something timed out, expired, was skipped or cancelled is what the engine sees. Neither "
        "an exit code nor an agent's answer may claim it."
    ),
    wrong="""\
workflow release "Build" {
  step build: exec build {
    exit 3 -> cancelled
    on passed    -> completed
    on cancelled -> cancelled
  }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build {
    exit 3 -> nothing_to_do
    on passed        -> completed
    on nothing_to_do -> cancelled
  }
}
""",
    check=check,
)
