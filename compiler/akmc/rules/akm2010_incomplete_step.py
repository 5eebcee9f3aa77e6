"""A step that lacks what makes it one."""

from collections.abc import Iterator

from akmc.document import (
    AgentStep,
    ApprovalStep,
    GateStep,
    JudgeStep,
    MapStep,
    PanelStep,
    RouteStep,
    Step,
    StepGate,
)
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Steps without the clause that their kind is about, and gates of steps without what they need."""
    for at, step in enumerate(view.workflow.steps):
        needed = _missing(step)
        if needed is not None:
            yield Finding(("steps", at, "name"), f"step `{step.name}` has no {needed[0]}", needed[1])
        needed = None if step.gate is None else _missing_in_gate(step.gate, view.judge_of(step))
        if needed is not None:
            yield Finding(("steps", at, "gate"), f"the gate of step `{step.name}` has no {needed[0]}", needed[1])


def _missing_in_gate(gate: StepGate, judge: str | None) -> tuple[str, str] | None:
    if not gate.rubric:
        return "rubric", 'add `rubric "..."`'
    if judge is None:
        return "judge", "add `judge AGENT`, or `defaults { judge AGENT }` to the registry"
    return None


def _missing(step: Step) -> tuple[str, str] | None:
    match step:
        case AgentStep(prompt=None | "") | MapStep(tool=None, agent=str(), prompt=None | ""):
            return "prompt", 'add `prompt "..."`'
        case PanelStep(assign=None):
            return "agents to assign", "add `assign N of [AGENTS]`"
        case PanelStep(prompt=None | ""):
            return "prompt", 'add `prompt "..."`'
        case MapStep(tool=None, agent=None):
            return "tool or agent to run", "add `run tool TOOL` or `run agent AGENT`"
        case JudgeStep(of=None):
            return "artifact to judge", "add `of STEP.output`"
        case JudgeStep(rubric=None | ""):
            return "rubric", 'add `rubric "..."`'
        case ApprovalStep(by=()):
            return "one who may decide", "add `by PERSON` or `by GROUP`"
        case RouteStep(branches=()):
            return "branch", "add `when VALUE -> STEP` or `otherwise -> STEP`"
        case GateStep(tool=None, value=None, artifacts=()):
            return "file to look for", 'name one, as in `gate artifacts_exist ["dist/package.whl"]`'
        case _:
            return None


RULE = Rule(
    code="AKM2010",
    title="A step is incomplete",
    explanation=(
        "An agent step needs a prompt, a panel agents and a prompt, a map a tool or an agent to run, a judge an "
        "artifact and a rubric, an approval somebody who may decide, a route at least one branch, and a gate on "
        "files at least one file. The gate of a step needs a rubric and a judge."
    ),
    wrong="""\
workflow release "Sign off" {
  step approve: approval {
    timeout 1d
    on passed   -> completed
    on rejected -> failed
    on expired  -> cancelled
  }
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
)
