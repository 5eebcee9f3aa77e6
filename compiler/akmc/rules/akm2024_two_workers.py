"""A map whose items two would work on."""

from collections.abc import Iterator

from akmc.document import MapStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Maps that run a tool and an agent."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, MapStep) and step.tool is not None and step.agent is not None:
            yield Finding(
                ("steps", at, "agent"),
                f"map `{step.name}` runs tool `{step.tool}` and agent `{step.agent}`",
                "keep one of the two",
            )


RULE = Rule(
    code="AKM2024",
    title="A map runs a tool and an agent",
    explanation=("Each item of a map is one piece of work, for one tool or for one agent."),
    wrong="""\
workflow release "Build each" {
  param targets: list max 5 of string
  step build: map target in params.targets {
    run tool build
    run agent coder
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build each" {
  param targets: list max 5 of string
  step build: map target in params.targets {
    run tool build
    on passed -> completed
  }
}
""",
    check=check,
)
