"""A workflow that needs a registry where there is none."""

from collections.abc import Iterator

from akmc.document import AgentStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View, has_process


def check(view: View) -> Iterator[Finding]:
    """The first step that names a tool or an agent, where no registry was found."""
    if view.registry_sought is None:
        return
    for at, step in enumerate(view.workflow.steps):
        if has_process(step):
            yield Finding(
                ("steps", at, "agent" if isinstance(step, AgentStep) else "tool"),
                f"step `{step.name}` needs a registry, and there is none at {view.registry_sought}",
                "write one there, or name its file with `--registry FILE`",
            )
            return


RULE = Rule(
    code="AKM9001",
    title="There is no registry",
    explanation=(
        "Tools, agents and groups stand in `registry.akm` beside the workflow, or in the file that "
        "`--registry` names."
    ),
    wrong="""\
workflow release "Build" {
  step build: exec build { on passed -> completed }
}
""",
    right="""\
workflow release "Sign off" {
  step approve: approval {
    by alice
    timeout 1d
    on passed   -> completed
    on rejected -> failed
    on expired  -> cancelled
  }
}
""",
    check=check,
    registry=None,
)
