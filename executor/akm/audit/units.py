"""What the plan says of one assignment: its tool, agent, bounds and class of effect."""

from dataclasses import dataclass
from typing import Any

from akm.audit.chapters import Chapter, Work
from akm_specs.plan import VERDICT

#: The classes of which one more time does no harm.
REPEATABLE = frozenset({"read_only", "external_idempotent"})


@dataclass(frozen=True, slots=True)
class Unit:
    """An assignment as planned. `tool` is None for the work of a child run or of a push."""

    tool_name: str | None
    tool: Any
    agent: str | None
    timeout_ms: int
    dispatch: Any
    output: Any
    instruction: str | None
    scope: Any
    isolation: str
    effect: str

    @property
    def repeatable(self) -> bool:
        """Whether it may simply be done again; what was done in a worktree of its own is gone with that."""
        return self.effect in REPEATABLE or (self.effect == "workspace_mutation" and self.isolation == "worktree")


def unit(plan: Any, chapter: Chapter, work: Work) -> Unit:
    """What `work` is by the plan. Raises KeyError for one that the plan does not have."""
    step = chapter.step
    if work.judge:
        return _of_agent(plan, step["gate"], step["gate"]["judge"], step["gate"]["rubric"], VERDICT, None, "none")
    if step["kind"] == "deliver":
        remote = plan["repositories"][work.part]["remote"]
        timeout_ms = step["timeout_ms"]["value"]
        push = {"argv": ["git", "push", remote], "directory": plan["repositories"][work.part]["directory"]}
        tool = {**push, "scripts": [], "env": [], "receipt": ["git", "ls-remote", remote]}
        return Unit(
            "git", tool, None, timeout_ms, step["dispatch"], None, None, None, "none", "external_idempotent"
        )
    if step["kind"] == "workflow":
        bound = {"attempts": {"value": 0}, "retry_on": [], "recoveries": {"value": 0}}
        return Unit(None, None, None, 0, bound, step["output"], None, None, "none", "none")
    if step["kind"] == "panel":
        seat = {**step["seats"][int(work.part) - 1], "dispatch": step["dispatch"]}
        return _of_agent(
            plan, seat, seat["agent"], step["prompt"], step["output"], step["scope"], step["isolation"]
        )
    told = step.get("rubric") if step["kind"] == "judge" else step.get("prompt")
    return _of_agent(plan, step, step.get("agent"), told, step["output"], step["scope"], step["isolation"])


def _of_agent(
    plan: Any, said: Any, agent: str | None, told: str | None, output: Any, scope: Any, isolation: str
) -> Unit:
    tool = plan["tools"][said["tool"]]
    own = (
        None if "rubric" in said and "max_loops" in said else plan["agents"][agent].get("scope") if agent else None
    )
    return Unit(
        tool_name=said["tool"],
        tool=tool,
        agent=agent,
        timeout_ms=said["timeout_ms"]["value"],
        dispatch=said["dispatch"],
        output=output,
        instruction=told,
        scope=scope or own,
        isolation=isolation,
        effect=tool["effect"],
    )
