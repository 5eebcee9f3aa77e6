"""Fail-closed bounds: what each omitted word means. Nothing here is ever "unlimited".

Every bound says whether the author declared it. `DEFAULTS` is the one statement of the defaults; the
table in docs/reference/language.md is made from it.
"""

from dataclasses import dataclass
from typing import Literal

from akm_specs import plan
from akmc.document import (
    ITEMS_MAX,
    AgentStep,
    Assign,
    ChildStep,
    DeliverStep,
    Evidence,
    MapStep,
    PanelStep,
    Step,
    WorkStep,
)
from akmc.flow import Flow
from akmc.lower_types import LIST_ITEMS_MAX
from akmc.references import over_of, walk
from akmc.registry import Tool
from akmc.view import View, has_process
from akmc.wording import duration_text

STEP_ATTEMPTS_DEFAULT = 1
DISPATCH_ATTEMPTS_DEFAULT = 1
#: Replacements of lost attempts whose effect may safely be repeated: a host may crash a few times, not for ever.
RECOVERIES_DEFAULT = 3
TIMEOUT_MS_DEFAULT = 10 * 60 * 1000
RUN_DURATION_MS_DEFAULT = 30 * 24 * 60 * 60 * 1000
OUTPUT_BYTES_MAX_DEFAULT = 8 * 1024 * 1024

EFFECT_DEFAULT: plan.EffectClass = "unknown"
EXPECT_DEFAULT: Literal["pass"] = "pass"
REDUCER_DEFAULT: plan.Reducer = "collect"
JOIN_DEFAULT: plan.JoinStrategy = "all"
REMAINING_DEFAULT: Literal["drain"] = "drain"
MAX_LOOPS_DEFAULT = 1
MAP_PARALLEL_DEFAULT = 1
REMEDIATIONS_DEFAULT = 0
EVIDENCE_MINIMUM_DEFAULT = 1
DIRECTORY_DEFAULT = "."
ISOLATION_DEFAULT: plan.Isolation = "none"

#: Classes whose lost attempts a new attempt may replace, each by its own proof (docs/reference/language.md).
RECOVERABLE: frozenset[plan.EffectClass] = frozenset(
    {"read_only", "external_idempotent", "receipt_queryable", "workspace_mutation"}
)
#: Classes whose work may be tried again after it ran and failed.
RETRYABLE: frozenset[plan.EffectClass] = frozenset({"read_only", "external_idempotent", "receipt_queryable"})
RETRY_ON_ANY: tuple[plan.RetryReason, ...] = ("failed", "rate_limited", "spawn_failed", "timeout")
#: Reasons that prove that nothing was done.
RETRY_ON_REFUSED: tuple[plan.RetryReason, ...] = ("rate_limited", "spawn_failed")


@dataclass(frozen=True, slots=True)
class Default:
    """One row of the table: what was left out, and what that means."""

    omitted: str
    becomes: str


DEFAULTS = (
    Default("a step's `attempts`", str(STEP_ATTEMPTS_DEFAULT)),
    Default("`max` on an edge that leads back", "error AKM3001: it must be written"),
    Default("`limits { transitions }` with any edge that leads back", "error AKM3002: it must be written"),
    Default("`limits { transitions }` without one", "the number of steps"),
    Default("`limits { duration }`", duration_text(RUN_DURATION_MS_DEFAULT)),
    Default(
        "`limits { units }`",
        "the most assignments that all steps and their child runs can make",
    ),
    Default("`limits { agent_time }`", "no ceiling of its own: timeouts and attempts bound it"),
    Default("`limits { tokens }`, `limits { cost }`", "no ceiling: only an agent that reports them spends any"),
    Default("`timeout` of a step that starts processes", "the tool's own, of each of them"),
    Default("a tool's `timeout`", duration_text(TIMEOUT_MS_DEFAULT)),
    Default("`timeout` of `approval` and `wait signal`", "error AKM3005: it must be written"),
    Default("a panel's `target`", "its minimum"),
    Default("a panel's `maximum`", "its target"),
    Default("a panel's `parallel`", "its maximum"),
    Default("`join`", f"`{JOIN_DEFAULT}`"),
    Default("`then` of a `join quorum` or `join first`", f"`{REMAINING_DEFAULT}`: what has begun ends by itself"),
    Default("a map's `items`", f"the `max` of the list's type, at most {ITEMS_MAX}"),
    Default("a map's `parallel`", str(MAP_PARALLEL_DEFAULT)),
    Default("a map's `tolerate`", "0: one item that fails makes the step fail"),
    Default("a map's `reduce`", f"`{REDUCER_DEFAULT}`"),
    Default("`max_loops` of a step's `gate`", str(MAX_LOOPS_DEFAULT)),
    Default("`judge` of a step's `gate`", "the registry's `defaults { judge }`, else an error"),
    Default("`remediate` of a `deliver`", str(REMEDIATIONS_DEFAULT)),
    Default("`timeout` of a `deliver`", f"{duration_text(TIMEOUT_MS_DEFAULT)} for each push"),
    Default("`min` of an `evidence`", str(EVIDENCE_MINIMUM_DEFAULT)),
    Default("`degraded` of an `evidence`", "as many as `producers`"),
    Default("`isolation`", "`none`: work happens in the run's workspace"),
    Default("`scope` of a step", "its agent's own; an agent without one may touch nothing that a scope names"),
    Default("`retry`", f"{DISPATCH_ATTEMPTS_DEFAULT} physical attempt for each assignment"),
    Default(
        "`recover`",
        f"{RECOVERIES_DEFAULT} where the tool's effect may safely be repeated, otherwise 0",
    ),
    Default("`on failed`, `on timed_out`", "the run ends `failed`"),
    Default("`on` of any other outcome that the step can produce", "error AKM2005: it must be written"),
    Default("`otherwise` of a `route`", "error AKM2008, unless the branches cover every value"),
    Default("a gate's `expect`", f"`{EXPECT_DEFAULT}`"),
    Default("a tool's `effect`", f"`{EFFECT_DEFAULT}`: a lost outcome is never replayed"),
    Default("a tool's `output_max`", f"{OUTPUT_BYTES_MAX_DEFAULT // 1024**2}MiB for each stream"),
    Default("a tool's `directory`", "the run's workspace itself"),
    Default("a tool's `env`", "no variable but the few that every process gets"),
    Default("`max` of a `list`", f"{LIST_ITEMS_MAX} items"),
)


def defaults_table() -> str:
    """The defaults as a Markdown table."""
    rows = [f"| {each.omitted} | {each.becomes} |" for each in DEFAULTS]
    return "\n".join(["| Left out | Means |", "|---|---|", *rows]) + "\n"


def declared(value: int) -> plan.Bound:
    """A bound that the author wrote."""
    return {"value": value, "origin": "declared"}


def declared_or(value: int | None, default: int) -> plan.Bound:
    """The bound that the author wrote or, marked as such, the default."""
    return {"value": default, "origin": "defaulted"} if value is None else declared(value)


def limits(view: View) -> plan.Limits:
    """Budgets of the whole run."""
    written, steps = view.workflow.limits, view.workflow.steps
    units = sum(attempts(step)["value"] * units_an_entry(step, view) for step in steps)
    found: plan.Limits = {
        "transitions": declared_or(written.transitions, len(steps)),
        "duration_ms": declared_or(written.duration_ms, RUN_DURATION_MS_DEFAULT),
        "units": declared_or(written.units, units),
    }
    if written.agent_time_ms is not None:
        found["agent_time_ms"] = declared(written.agent_time_ms)
    if written.tokens is not None:
        found["tokens"] = declared(written.tokens)
    if written.cost_microdollars is not None:
        found["cost_microdollars"] = declared(written.cost_microdollars)
    return found


def units_an_entry(step: Step, view: View) -> int:
    """The most assignments that one entry of `step` can make, its judge's and its child's included."""
    loops = max_loops(step)["value"]
    match step:
        case PanelStep() if step.assign is not None:
            units = maximum(step.assign)["value"]
        case MapStep():
            units = items(step, view)["value"]
        case ChildStep():
            child = view.children[step.path].plan
            units = 1 if child is None else 1 + child["limits"]["units"]["value"]
        case DeliverStep():
            units = len(step.repositories) * (1 + remediations(step)["value"])
        case _:
            units = 1 if has_process(step) else 0
    return units * loops + (0 if step.gate is None else loops)


def attempts(step: Step) -> plan.Bound:
    """How often a run may enter `step`."""
    return declared_or(step.attempts, STEP_ATTEMPTS_DEFAULT)


def effect(tool: Tool) -> plan.EffectClass:
    """The effect class of `tool`."""
    return EFFECT_DEFAULT if tool.effect is None else tool.effect


def tool_timeout_ms(tool: Tool) -> plan.Bound:
    """How long one process of `tool` may take where a step says nothing."""
    return declared_or(tool.timeout_ms, TIMEOUT_MS_DEFAULT)


def timeout_ms(step: Step, tool: Tool) -> plan.Bound:
    """How long one process of `step` may take: its own timeout, else its tool's."""
    return tool_timeout_ms(tool) if step.timeout_ms is None else declared(step.timeout_ms)


def output_bytes_max(tool: Tool) -> plan.Bound:
    """How much of each output stream of `tool` is kept."""
    return declared_or(tool.output_bytes_max, OUTPUT_BYTES_MAX_DEFAULT)


def dispatch(step: WorkStep, tools: tuple[Tool, ...]) -> plan.Dispatch:
    """Bounds of each assignment of `step`, which `tools` do. One physical attempt comes before any retry."""
    found = _dispatch(tools, step.recoveries)
    retry = step.retry
    if retry is not None:
        found["attempts"] = declared(1 + retry.count)
        found["retry_on"] = sorted(set(retry.on))
    elif isinstance(step, PanelStep) and step.assign is not None and step.assign.attempts is not None:
        found["attempts"] = declared(step.assign.attempts)
        found["retry_on"] = list(RETRY_ON_ANY if _all_of(RETRYABLE, tools) else RETRY_ON_REFUSED)
    return found


def judge_dispatch(tool: Tool) -> plan.Dispatch:
    """Bounds of each call of the judge of a step's gate."""
    return _dispatch((tool,), None)


def delivery_dispatch(step: DeliverStep) -> plan.Dispatch:
    """Bounds of each repository's push, which may be repeated: it pushes an exact commit to its own branch."""
    retry = step.retry
    return {
        "attempts": declared_or(None if retry is None else 1 + retry.count, DISPATCH_ATTEMPTS_DEFAULT),
        "retry_on": [] if retry is None else sorted(set(retry.on)),
        "recoveries": declared_or(None, RECOVERIES_DEFAULT),
    }


def _dispatch(tools: tuple[Tool, ...], recoveries: int | None) -> plan.Dispatch:
    return {
        "attempts": declared_or(None, DISPATCH_ATTEMPTS_DEFAULT),
        "retry_on": [],
        "recoveries": declared_or(recoveries, RECOVERIES_DEFAULT if _all_of(RECOVERABLE, tools) else 0),
    }


def _all_of(classes: frozenset[plan.EffectClass], tools: tuple[Tool, ...]) -> bool:
    return all(effect(tool) in classes for tool in tools)


# Panels, maps, gates and deliveries


def minimum(assign: Assign) -> plan.Bound:
    """How many assignments of a panel must have been done."""
    return declared(assign.minimum)


def target(assign: Assign) -> plan.Bound:
    """How many assignments a panel makes at once."""
    return declared_or(assign.target, assign.minimum)


def maximum(assign: Assign) -> plan.Bound:
    """How many assignments a panel makes at most, those that were refused included."""
    return declared_or(assign.maximum, target(assign)["value"])


def panel_parallel(assign: Assign) -> plan.Bound:
    """How many assignments of a panel run at the same time."""
    return declared_or(assign.parallel, maximum(assign)["value"])


def seats(assign: Assign) -> tuple[str, ...]:
    """The agent of each possible assignment of a panel: the pool, from its start again where it is too small."""
    pool = assign.agents
    return tuple(pool[at % len(pool)] for at in range(maximum(assign)["value"]))


def join(step: PanelStep) -> plan.Join:
    """How the assignments of a panel become one outcome."""
    stated = step.join
    if stated is None:
        return {"strategy": JOIN_DEFAULT, "origin": "defaulted", "passed": None, "remaining": REMAINING_DEFAULT}
    remaining = stated.remaining or REMAINING_DEFAULT
    return {"strategy": stated.strategy, "origin": "declared", "passed": stated.passed, "remaining": remaining}


def items(step: MapStep, view: View) -> plan.Bound:
    """How many items a map may have."""
    over = walk(view, over_of(step))
    type_bound = ITEMS_MAX if over is None else over.type.get("maxItems", ITEMS_MAX)
    return declared_or(step.items, min(ITEMS_MAX, type_bound))


def map_parallel(step: MapStep) -> plan.Bound:
    """How many items a map works on at the same time."""
    return declared_or(step.parallel, MAP_PARALLEL_DEFAULT)


def tolerate(step: MapStep) -> plan.Bound:
    """How many items of a map may fail."""
    return declared_or(step.tolerate, 0)


def max_loops(step: Step) -> plan.Bound:
    """How often the artifact of one entry of `step` may be judged."""
    stated = None if step.gate is None else step.gate.max_loops
    if stated is not None and not isinstance(step, AgentStep):
        return declared(min(stated, MAX_LOOPS_DEFAULT))  # what it does is frozen: again would be the same
    return declared_or(stated, MAX_LOOPS_DEFAULT)


def remediations(step: DeliverStep) -> plan.Bound:
    """How often the repositories of a partial delivery that failed are tried again."""
    return declared_or(step.remediations, REMEDIATIONS_DEFAULT)


def delivery_timeout_ms(step: DeliverStep) -> plan.Bound:
    """How long each push, and each query, may take."""
    return declared_or(step.timeout_ms, TIMEOUT_MS_DEFAULT)


def evidence_minimum(evidence: Evidence) -> plan.Bound:
    """How many pieces of it there must be."""
    return declared_or(evidence.minimum, EVIDENCE_MINIMUM_DEFAULT)


def transitions(step: Step, flow: Flow) -> dict[str, plan.Transition]:
    """Where each outcome of `step` leads, those that the author left to their default included."""
    return {
        edge.outcome: {
            "target": edge.target,
            "maximum": None if edge.maximum is None else declared(edge.maximum),
            "back": edge.back,
            "origin": edge.origin,
        }
        for edge in flow.leaving(step.name)
    }
