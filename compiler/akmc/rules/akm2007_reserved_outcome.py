"""An outcome that only the engine may give."""

from collections.abc import Iterator

from akmc.document import AgentStep, ExecStep, PanelStep, Place, Step
from akmc.outcomes import DEFAULTED, ENGINE_ONLY
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Outcomes of `exit` lines, and those that the lines of agents and panels declare."""
    for at, step in enumerate(view.workflow.steps):
        claimed: list[tuple[Place, str]] = []
        if isinstance(step, ExecStep):
            claimed = [(("exits", index), each.outcome) for index, each in enumerate(step.exits)]
        elif isinstance(step, AgentStep | PanelStep):
            claimed = [(("on", index), each.outcome) for index, each in enumerate(step.on)]
        for place, outcome in claimed:
            if outcome in ENGINE_ONLY and outcome not in _of_engine(step):
                yield Finding(
                    ("steps", at, *place, "outcome"),
                    f"step `{step.name}`: `{outcome}` is an outcome that only the engine gives",
                    "choose another word for it",
                )


def _of_engine(step: Step) -> tuple[str, ...]:
    """The engine's outcomes for which a line of `step` claims nothing. `skipped` without a `skip` is no outcome."""
    match step:
        case AgentStep():
            return (*DEFAULTED, "skipped")
        case PanelStep():
            return ("quorum_not_met", "skipped")
        case _:
            return ()


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
