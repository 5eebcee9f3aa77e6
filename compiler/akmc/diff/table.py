"""What each difference between two plans means: one line a kind of change.

A place is a path through a plan as `akmc.diff.arranged` lays it out; `*` stands for any name. A line for a thing
says what its coming and going means, the lines below it what a change of its parts means.
"""

from collections.abc import Mapping, Sequence

from akmc.diff.judges import Judge, gained, larger, money, more, neutral, ranked, replaced, size, span, way

#: How far the effects of a class reach, and how freely one is begun anew whose outcome was lost (docs/reference/
#: language.md, Retries and lost outcomes). Both are authority: the one of the tool, the other of the executor.
EFFECT = ranked(
    (
        "its effects may reach",
        [
            {"read_only"},
            {"workspace_mutation"},
            {"external_idempotent", "receipt_queryable"},
            {"external_non_idempotent"},
            {"unknown"},
        ],
    ),
    (
        "after a lost outcome it is repeated",
        [
            {"unknown", "external_non_idempotent"},
            {"workspace_mutation"},
            {"receipt_queryable"},
            {"external_idempotent"},
            {"read_only"},
        ],
    ),
)
ISOLATION = ranked(("works in", [{"worktree"}, {"none"}]))
ACCESS = ranked(("may", [{"read"}, {"write"}]))
JOIN = ranked(("passes on", [{"all"}, {"settled"}, {"quorum"}, {"first"}]))
REMAINING = ranked(("work no longer needed", [{"cancel"}, {"drain"}]))

_PLAN: Mapping[str, Judge] = {
    "schema": replaced,
    "lifecycles": replaced,
    "workflow": neutral,
    "title": neutral,
    "entry": way,
    "order": neutral,
    "limits/transitions": larger("widens"),
    "limits/duration_ms": larger("widens", span),
    "limits/units": larger("widens"),
    "limits/agent_time_ms": larger("widens", span),
    "limits/cost_microdollars": larger("widens", money),
    "limits/tokens": larger("widens"),
    "parameter/*": gained("neutral"),
    "parameter/*/type": replaced,
    "parameter/*/default": replaced,
    "property/*": gained("narrows"),
    "property/*/count": larger("widens"),
}
_ENTRIES: Mapping[str, Judge] = {
    "tool/*": gained("widens"),
    "tool/*/argv": replaced,
    "tool/*/python": replaced,
    "tool/*/scripts": replaced,
    "tool/*/receipt": replaced,
    "tool/*/directory": replaced,
    "tool/*/session": replaced,
    "tool/*/rejects": replaced,
    "tool/*/effect": EFFECT,
    "tool/*/env": more("widens"),
    "tool/*/timeout_ms": larger("widens", span),
    "tool/*/output_bytes_max": larger("widens", size),
    "tool/*/reserved": gained("narrows"),
    "agent/*": gained("widens"),
    "agent/*/tool": replaced,
    "agent/*/model": replaced,
    "agent/*/provider": replaced,
    "agent/*/scope": neutral,  # counts where steps have none of their own, and is compared there
    "repository/*": gained("widens"),
    "repository/*/directory": replaced,
    "repository/*/remote": replaced,
}
_STEPS: Mapping[str, Judge] = {
    "exec/*": gained("widens"),
    "agent step/*": gained("widens"),
    "panel/*": gained("widens"),
    "map/*": gained("widens"),
    "deliver/*": gained("widens"),
    "child/*": gained("widens"),
    "approval/*": gained("narrows"),
    "gate/*": gained("narrows"),
    "judge/*": gained("narrows"),
    "check with effects/*": gained("widens"),
    "wait/*": gained("narrows"),
    "route/*": gained("neutral"),
}
_COMMON: Mapping[str, Judge] = {
    "*/*/attempts": larger("widens"),
    "*/*/on/*": way,
    "*/*/evidence/*": gained("narrows"),
    "*/*/evidence/*/kind": replaced,
    "*/*/evidence/*/minimum": larger("narrows"),
    "*/*/evidence/*/producers": gained("narrows"),
    "*/*/evidence/*/producers/eligible": more("widens"),
    "*/*/evidence/*/producers/minimum": larger("narrows"),
    "*/*/evidence/*/producers/degraded": larger("narrows"),
    "*/*/evidence/*/reusable": gained("widens"),
    "*/*/evidence/*/pin": gained("narrows"),
    "*/*/requires": more("narrows"),
    "*/*/gate": gained("narrows"),
    "*/*/gate/judge": replaced,
    "*/*/gate/tool": replaced,
    "*/*/gate/rubric": replaced,
    "*/*/gate/timeout_ms": larger("widens", span),
    "*/*/gate/max_loops": larger("widens"),
    "*/*/gate/dispatch/attempts": larger("widens"),
    "*/*/gate/dispatch/retry_on": more("widens"),
    "*/*/gate/dispatch/recoveries": larger("widens"),
    "*/*/skip": gained("widens"),
    "*/*/skip/value": replaced,
    "*/*/skip/equals": replaced,
}
_WORK: Mapping[str, Judge] = {
    "*/*/tool": replaced,
    "*/*/agent": replaced,
    "*/*/timeout_ms": larger("widens", span),
    "*/*/dispatch/attempts": larger("widens"),
    "*/*/dispatch/retry_on": more("widens"),
    "*/*/dispatch/recoveries": larger("widens"),
    "*/*/output": replaced,
    "*/*/isolation": ISOLATION,
    "*/*/own_scope": neutral,
    "*/*/scope/*": gained("widens"),
    "*/*/scope/*/repositories/*": gained("widens"),
    "*/*/scope/*/repositories/*/access": ACCESS,
    "*/*/scope/*/preset": replaced,
    "*/*/scope/*/allow": more("widens"),
    "*/*/scope/*/deny": more("narrows"),
    "*/*/scope/*/secrets": more("widens"),
    "*/*/input": replaced,
    "*/*/prompt": replaced,
    "*/*/reads": more("widens"),
    "*/*/rubric": replaced,
    "*/*/of": replaced,
    "*/*/parallel": larger("widens"),
}
_BY_KIND: Mapping[str, Judge] = {
    "exec/*/exits": replaced,
    "gate/*/check": replaced,
    "gate/*/expect": replaced,
    "gate/*/paths": more("narrows"),
    "gate/*/value": replaced,
    "gate/*/type": replaced,
    "panel/*/seat/*": gained("widens"),
    "panel/*/seat/*/tool": replaced,
    "panel/*/seat/*/timeout_ms": larger("widens", span),
    "panel/*/order": neutral,
    "panel/*/minimum": larger("narrows"),
    "panel/*/target": larger("narrows"),
    "panel/*/maximum": larger("widens"),
    "panel/*/distinct": more("narrows"),
    "panel/*/join/strategy": JOIN,
    "panel/*/join/passed": larger("narrows"),
    "panel/*/join/origin": neutral,
    "panel/*/join/remaining": REMAINING,
    "map/*/item": neutral,
    "map/*/over": replaced,
    "map/*/items": larger("widens"),
    "map/*/tolerate": larger("widens"),
    "map/*/reducer": replaced,
    "approval/*/by": more("widens"),
    "approval/*/reads": more("narrows"),
    "wait/*/wait": replaced,
    "wait/*/signal": replaced,
    "wait/*/span_ms": larger("narrows", span),
    "route/*/value": replaced,
    "child/*/input": replaced,
    "deliver/*/repositories": more("widens"),
    "deliver/*/commits": replaced,
    "deliver/*/remediations": larger("widens"),
}

#: Every line. Of two that fit a place, the one that names the kind of step counts.
TABLE: Mapping[str, Judge] = {**_PLAN, **_ENTRIES, **_STEPS, **_COMMON, **_WORK, **_BY_KIND}


_PARTS: Mapping[str, list[str]] = {line: line.split("/") for line in TABLE}


def line_of(place: tuple[str, ...]) -> str | None:
    """The line that fits `place` most closely; None where no line does."""
    fitting = [line for line, parts in _PARTS.items() if _fits(parts, place)]
    return min(fitting, key=lambda line: line.count("*"), default=None)


def _fits(parts: Sequence[str], place: tuple[str, ...]) -> bool:
    return len(parts) == len(place) and all(part in ("*", name) for part, name in zip(parts, place, strict=True))
