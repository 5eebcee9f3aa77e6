"""From the end of a process to the result of its assignment.

The transport comes first: a process that was killed, timed out or lost its output never passes, whatever
its text says. An exec's or gate's exit code is its declared result; an agent's is its reply.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from akm.kernel import pushes
from akm.kernel.observation import AttemptEnded, StoredFile
from akm.kernel.state import Result
from akm.kernel.steps import evidence_of, reply_outcomes
from akm.kernel.units import Unit
from akm.reply import parse_reply, parse_verdict
from akm_specs.canonical import Json, JsonObject, NotCanonical, NotStrictJson, canonical, hash_json, parse_json
from akm_specs.plan import VERDICT
from akm_specs.types import violation

#: More than one reply can have used: whatever is reported above it counts as this much, and stays recordable.
TOKENS_MAX = 10**12
COST_USD_MAX = 10**9

#: Exit codes by which a shell, or what it ran, says that a check did not run to its end: not executable, not
#: found, and 128 + the number of a signal that killed it.
NOT_RUN_EXITS = frozenset({126, 127, *range(129, 129 + 64)})

#: The place of what an isolated attempt changed, among the files of its result; no output names such a path.
PATCH = "@patch"

_RESULT_FIELDS = tuple(field.name for field in fields(Result))

#: The name under which a push has its receipt.
RECEIPT = "receipt"

PASSED, FAILED, TIMED_OUT = "passed", "failed", "timed_out"


@dataclass(frozen=True, slots=True)
class Usage:
    """What an agent reports to have spent; `metered` is false where it reports nothing."""

    tokens: int = 0
    cost_microdollars: int = 0
    metered: bool = False


def result(
    outcome: str,
    *,
    result_class: Any = "outcome",
    code: str | None = None,
    output: Json = None,
    evidence: JsonObject | None = None,
    usage: Usage | None = None,
    detail: str | None = None,
) -> Result:
    """A result with its hash, which covers what later steps and the digest can see of it."""
    found = evidence or {}
    seen = {"outcome": outcome, "output": output, "evidence": found}
    spent = usage or Usage()
    return Result(
        outcome,
        result_class,
        code,
        output,
        found,
        spent.tokens,
        spent.cost_microdollars,
        hash=hash_json(seen),
        detail=detail,
        metered=spent.metered,
    )


def as_data(found: Result) -> JsonObject:
    """A result as event data; `Result(**data)` reads it back."""
    return {name: getattr(found, name) for name in _RESULT_FIELDS}


def with_evidence(found: Result, evidence: JsonObject) -> Result:
    """`found` with more evidence, and so with another hash."""
    if not evidence:
        return found
    more = {**found.evidence, **evidence}
    seen = {"outcome": found.outcome, "output": found.output, "evidence": more}
    return replace(found, evidence=more, hash=hash_json(seen))


def failed_after(found: Result, code: str) -> Result:
    """A failure in place of `found`, which keeps what was spent on it."""
    return result(FAILED, code=code, usage=Usage(found.tokens, found.cost_microdollars, found.metered))


def interpret(unit: Unit, end: AttemptEnded) -> Result:
    """The result that `end` means for `unit`."""
    broken = _transport_failure(unit, end)
    if broken is not None:
        return broken
    found = {"exit": _exited, "outcome": _replied, "verdict": _judged, "push": _pushed}[unit.reply](unit, end)
    return _with_files(unit, found, end.files)


def _transport_failure(unit: Unit, end: AttemptEnded) -> Result | None:
    if end.never_started is not None:
        return result(FAILED, result_class="producer_rejected", code=end.never_started)
    if end.timed_out:
        own = TIMED_OUT in unit.step["transitions"] and not unit.id.judge
        return result(TIMED_OUT if own else FAILED, code="timed_out")
    if end.signal is not None:
        return result(FAILED, code=f"killed_by_signal_{end.signal}")
    if end.output_lost:
        return result(FAILED, code="output_lost")
    rejected = unit.tool.get("rejects", {}).get(str(end.exit_code))
    if rejected is not None:
        return result(FAILED, result_class="producer_rejected", code=rejected)
    if end.truncated and unit.reads_stdout:
        return result(FAILED, code="output_overflow")
    return None


def _exited(unit: Unit, end: AttemptEnded) -> Result:
    """A tool's: 0 is passed, others failed, unless the step says otherwise."""
    step = unit.step
    code = None if end.exit_code == 0 else f"exit_{end.exit_code}"
    outcome = PASSED if end.exit_code == 0 else FAILED
    if step["kind"] == "exec":
        outcome = step["exits"].get(str(end.exit_code), outcome)
    if step["kind"] == "gate" and step["expect"] == "fail":
        outcome = FAILED if outcome == PASSED or end.exit_code in NOT_RUN_EXITS else PASSED
    if unit.output is None:
        return result(outcome, code=code if outcome != PASSED else None)
    output, problem = _json_output(unit.output, end.stdout or b"")
    if problem is not None:
        return problem
    return result(outcome, code=code if outcome != PASSED else None, output=output)


def _pushed(unit: Unit, end: AttemptEnded) -> Result:
    """A push's: what git says of it is held against the remote's own answer before it counts."""
    if end.exit_code == 0:
        return result(PASSED)
    code, said = pushes.refusal(end)
    return result(FAILED, code=code, detail=said)


def _json_output(schema: JsonObject, stdout: bytes) -> tuple[Json, Result | None]:
    """The output that a text is, or the failure to be one."""
    try:
        value = parse_json(stdout.decode("utf-8"))
        canonical(value)
    except (UnicodeDecodeError, NotStrictJson, NotCanonical) as error:
        return None, result(FAILED, code="output_not_json", detail=str(error))
    broken = violation(schema, value)
    return (value, None) if broken is None else (None, result(FAILED, code="output_mismatch", detail=broken))


def _replied(unit: Unit, end: AttemptEnded) -> Result:
    """An agent's: only a declared result advances, and only a process that exited 0 has one."""
    if end.exit_code != 0:
        return result(FAILED, code=f"exit_{end.exit_code}")
    reply = parse_reply(_text(end.stdout), reply_outcomes(unit.step))
    if reply.outcome is None or reply.value is None:
        return result(FAILED, result_class=reply.result_class, code=reply.code)
    value = {name: member for name, member in reply.value.items() if name not in ("outcome", "usage")}
    usage = usage_of(reply.value.get("usage"))
    if unit.output is None:
        return result(reply.outcome, usage=usage)
    try:
        canonical(value)
    except NotCanonical as error:
        return result(FAILED, code="output_not_json", usage=usage, detail=str(error))
    broken = violation(unit.output, value)
    if broken is not None:
        return result(FAILED, code="output_mismatch", usage=usage, detail=broken)
    return result(reply.outcome, output=value, usage=usage)


def _judged(unit: Unit, end: AttemptEnded) -> Result:
    """A judge's: only a verdict says something, and only `complete: true` passes."""
    if end.exit_code != 0:
        return result(FAILED, code=f"exit_{end.exit_code}")
    found = parse_verdict(_text(end.stdout))
    if isinstance(found, str):
        return result(FAILED, result_class="outcome_unknown", code=found)
    verdict = {name: member for name, member in found.items() if name != "usage"}
    usage = usage_of(found.get("usage"))
    broken = violation(VERDICT, verdict)
    if broken is not None:
        code = "verdict_malformed"
        return result(FAILED, result_class="outcome_unknown", code=code, usage=usage, detail=broken)
    complete = verdict["complete"] is True
    return result(
        PASSED if complete else FAILED, code=None if complete else "incomplete", output=verdict, usage=usage
    )


def _text(stdout: bytes | None) -> str:
    return (stdout or b"").decode("utf-8", errors="replace")


def usage_of(reported: Any) -> Usage:
    """Tokens and microdollars that are reported."""
    if not isinstance(reported, dict):
        return Usage()
    tokens, cost = _amount(reported.get("tokens"), TOKENS_MAX), _amount(reported.get("cost_usd"), COST_USD_MAX)
    return Usage(int(tokens or 0), round((cost or 0) * 1_000_000), metered=tokens is not None or cost is not None)


def _amount(reported: Any, most: int) -> int | float | None:
    known = isinstance(reported, int | float) and not isinstance(reported, bool) and reported >= 0
    return min(reported, most) if known else None


def named_files(unit: Unit, stdout: bytes) -> tuple[str, ...]:
    """The paths that an output names; the shell stores them before the result is recorded."""
    if unit.output is None or unit.reply == "verdict":
        return ()
    if unit.reply == "outcome":
        output: Any = parse_reply(_text(stdout), reply_outcomes(unit.step)).value
    else:
        output, _ = _json_output(unit.output, stdout)
    return tuple(_paths(unit.output, output).values())


def _paths(schema: Json, value: Any, place: str = "") -> dict[str, str]:
    """Place in the output (`wheel`, `parts[0].log`) -> path, of everything whose type is a file."""
    found: dict[str, str] = {}
    if not isinstance(schema, dict):
        return found  # `true` is a schema as well, of anything at all
    if schema.get("format") == "akm-file" and isinstance(value, str):
        found[place] = value
    elif isinstance(value, dict):
        for name, member in schema.get("properties", {}).items():
            found |= _paths(member, value.get(name), f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found |= _paths(schema.get("items", {}), item, f"{place}[{index}]")
    return found


def _with_files(unit: Unit, found: Result, files: Mapping[str, StoredFile | None]) -> Result:
    """Every file that a result names must be there; what the step owes as evidence is taken from it."""
    paths = _paths(unit.output or {}, found.output)
    if any(files.get(path) is None for path in paths.values()):
        return failed_after(found, "file_missing")
    stored = {
        name: {"path": path, "sha256": file.sha256, "bytes": file.bytes}
        for name, path in paths.items()
        if (file := files.get(path)) is not None
    }
    changed = files.get(PATCH)
    if changed is not None:
        stored[PATCH] = {"path": PATCH, "sha256": changed.sha256, "bytes": changed.bytes}
    evidence: JsonObject = {"files": stored} if stored else {}
    for name, each in ({} if unit.id.judge else evidence_of(unit.step)).items():
        if each["kind"] == "artifact" and name in stored:
            evidence[name] = stored[name]
        elif each["kind"] == "result" and found.outcome == PASSED:
            evidence[name] = {"outcome": found.outcome}
    return with_evidence(found, evidence)


def awaits_receipt(unit: Unit, found: Result) -> bool:
    """Whether the unit can pass only with a receipt that must still be asked for.

    A push that failed is asked after as well: the remote may have taken it all the same.
    """
    return unit.reply == "push" or (found.outcome == PASSED and bool(receipt_names(unit)))


def resolutions(unit: Unit) -> tuple[str, ...]:
    """What may settle an uncertain effect of `unit`: completed only where it can pass at all."""
    completed = ("mark-completed",) if _can_pass(unit) else ()
    return (*completed, "confirm-absent", "compensated", "mark-failed", "cancel")


def _can_pass(unit: Unit) -> bool:
    return PASSED in unit.step["transitions"] or unit.id.judge


def receipt_names(unit: Unit) -> tuple[str, ...]:
    """The evidence that a receipt satisfies."""
    if unit.id.judge or unit.tool["receipt"] is None:
        return ()
    if unit.reply == "push":
        return (RECEIPT,)
    return tuple(name for name, each in evidence_of(unit.step).items() if each["kind"] == "receipt")


def receipt_files(unit: Unit, receipt: Json) -> tuple[str, ...]:
    """The paths that a receipt names where it stands in for an output."""
    return tuple(_paths(unit.output or {}, receipt).values())


def from_receipt(unit: Unit, receipt: Json, files: Mapping[str, StoredFile | None]) -> Result | None:
    """The result that a found receipt proves after the process's own was lost.

    Where an output is declared, the receipt has to be a value of that type; otherwise None.
    """
    if not _can_pass(unit):
        return None
    if unit.output is not None and violation(unit.output, receipt):
        return None
    output = receipt if unit.output is not None else None
    expected_to_fail = unit.step["kind"] == "gate" and unit.step["expect"] == "fail"
    incomplete = unit.reply == "verdict" and not (isinstance(receipt, dict) and receipt["complete"])
    if incomplete or (expected_to_fail and not unit.id.judge):
        return result(FAILED, output=output)  # what the gate expects to fail has passed
    found = _with_files(unit, result(PASSED, output=output), files)
    return with_evidence(found, dict.fromkeys(receipt_names(unit), receipt))
