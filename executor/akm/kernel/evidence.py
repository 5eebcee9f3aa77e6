"""Evidence: what a step must leave behind in order to pass. It belongs to the step attempt that produced it."""

from dataclasses import dataclass

from akm.kernel import work
from akm.kernel.draft import Draft
from akm.kernel.steps import evidence_of
from akm.kernel.units import judge_id, made
from akm_specs.canonical import Json, JsonObject, hash_json
from akm_specs.plan import Evidence


@dataclass(frozen=True, slots=True)
class _Found:
    """The pieces of one evidence, and the agents whose work they are."""

    pieces: list[Json]
    enough: bool


def capture(draft: Draft, data: JsonObject) -> list[str]:
    """Record the evidence of the active step attempt, which is to pass with `data`; the names of what is missing.

    If anything is, nothing is recorded.
    """
    owed = evidence_of(draft.step)
    found = {name: _look(draft, name, each, data) for name, each in owed.items()}
    missing = [name for name, one in found.items() if not one.enough and not _reusable(draft, name, owed[name])]
    if missing:
        return missing
    for name, one in found.items():
        _record(draft, name, owed[name], one)
    return []


def _reusable(draft: Draft, name: str, owed: Evidence) -> bool:
    return "reusable" in owed and f"{draft.active.step} {name}" in draft.state.evidence


def _record(draft: Draft, name: str, owed: Evidence, found: _Found) -> None:
    active = draft.active
    common: JsonObject = {"name": name, "kind": owed["kind"]}
    if found.enough:
        stored = found.pieces if owed["kind"] == "artifact" else []  # a receipt may say anything
        files = {one["path"]: one["sha256"] for one in stored if isinstance(one, dict)}
        count, hashed = len(found.pieces), hash_json(found.pieces)
        draft.fact(
            "evidence.captured", active.id, **common, step_attempt=active.id, count=count, hash=hashed, files=files
        )
    else:
        earlier = draft.state.evidence[f"{active.step} {name}"]
        draft.fact(
            "evidence.captured",
            active.id,
            **common,
            step_attempt=earlier.step_attempt,
            count=earlier.count,
            hash=earlier.hash,
            files=dict(earlier.files),
        )


def _look(draft: Draft, name: str, owed: Evidence, data: JsonObject) -> _Found:
    pieces = _pieces(draft, name, owed, data)
    producers = owed.get("producers")
    enough = len(pieces) >= owed["minimum"]["value"]
    if producers is not None:
        results = [(draft.unit(one.id).agent, one.result) for one in made(draft.state) if one.result is not None]
        eligible = {agent for agent, result in results if result.outcome == "passed"} & {*producers["eligible"]}
        refused = any(result.result_class == "producer_rejected" for _, result in results)
        enough = enough and len(eligible) >= producers["degraded" if refused else "minimum"]
    return _Found(pieces, enough)


def _pieces(draft: Draft, name: str, owed: Evidence, data: JsonObject) -> list[Json]:
    """What there is of one evidence, in the order of the work."""
    judge = draft.state.assignments.get(str(judge_id(draft.state)))
    kind, passes = owed["kind"], draft.step["kind"]
    if kind == "gate":
        if judge is not None and judge.result is not None:
            return [judge.result.output]
        return [{"outcome": "passed", "output": data.get("output")}] if passes in ("gate", "judge") else []
    if kind == "approval":
        return [{"by": data.get("decided_by")}] if passes == "approval" else []
    if kind == "receipt" and passes == "wait":
        return [{"output": data.get("output")}]  # the signal is what was waited for, and tells that it happened
    if kind == "receipt" and passes == "deliver":
        delivery = draft.state.deliveries[draft.active.step]
        return [delivery.shares[each].receipt for each in delivery.delivered]
    if kind == "result" and not draft.active.work.parts:
        return [{"outcome": "passed"}]
    return work.evident(draft, name)
