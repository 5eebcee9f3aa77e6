"""Fail-closed bounds: what each omitted word means. Nothing here is ever "unlimited".

Every bound says whether the author declared it. `DEFAULTS` is the one statement of the defaults; the
table in docs/reference/language.md is made from it.
"""

from dataclasses import dataclass
from typing import Literal

from akm_specs import plan
from akmc.document import AgentStep, ExecStep, GateStep, Step, Tool
from akmc.flow import Flow
from akmc.lower_types import LIST_ITEMS_MAX
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
DIRECTORY_DEFAULT = "."

#: Classes whose lost attempts a new attempt may replace, each by its own proof (docs/reference/language.md).
RECOVERABLE: frozenset[plan.EffectClass] = frozenset(
    {"read_only", "external_idempotent", "receipt_queryable", "workspace_mutation"}
)
#: Classes whose work may be tried again after it ran and failed.
RETRYABLE: frozenset[plan.EffectClass] = frozenset({"read_only", "external_idempotent", "receipt_queryable"})


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
    Default("`limits { units }`", "the sum of `attempts` over all steps that start a process"),
    Default("`limits { tokens }`, `limits { cost }`", "no ceiling: only an agent that reports them spends any"),
    Default("`timeout` of `exec`, `agent` and a tool `gate`", "the tool's own"),
    Default("a tool's `timeout`", duration_text(TIMEOUT_MS_DEFAULT)),
    Default("`timeout` of `approval` and `wait signal`", "error AKM3005: it must be written"),
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
    units = sum(attempts(step)["value"] for step in steps if has_process(step))
    found: plan.Limits = {
        "transitions": declared_or(written.transitions, len(steps)),
        "duration_ms": declared_or(written.duration_ms, RUN_DURATION_MS_DEFAULT),
        "units": declared_or(written.units, units),
    }
    if written.tokens is not None:
        found["tokens"] = declared(written.tokens)
    if written.cost_microdollars is not None:
        found["cost_microdollars"] = declared(written.cost_microdollars)
    return found


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


def dispatch(step: ExecStep | GateStep | AgentStep, tool: Tool) -> plan.Dispatch:
    """Bounds of each assignment of `step`. One physical attempt comes before any retry."""
    retry = step.retry
    return {
        "attempts": declared_or(None if retry is None else 1 + retry.count, DISPATCH_ATTEMPTS_DEFAULT),
        "retry_on": [] if retry is None else sorted(set(retry.on)),
        "recoveries": declared_or(step.recoveries, RECOVERIES_DEFAULT if effect(tool) in RECOVERABLE else 0),
    }


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
