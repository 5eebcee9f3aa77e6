"""From the end of a process to the result of its assignment.

The transport comes first: a process that was killed, timed out or lost its output never passes, whatever
its text says. An exec's or gate's exit code is its declared result; an agent's is its reply.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from akm.kernel.observation import AttemptEnded, StoredFile
from akm.kernel.state import Result
from akm.kernel.steps import ProcessStep, evidence_of, reply_outcomes
from akm.reply import parse_reply
from akm_specs.canonical import Json, JsonObject, NotCanonical, NotStrictJson, canonical, hash_json, parse_json
from akm_specs.types import violation

#: More than one reply can have used: whatever is reported above it counts as this much, and stays recordable.
TOKENS_MAX = 10**12
COST_USD_MAX = 10**9

#: Exit codes by which a shell, or what it ran, says that a check did not run to its end: not executable, not
#: found, and 128 + the number of a signal that killed it.
NOT_RUN_EXITS = frozenset({126, 127, *range(129, 129 + 64)})

PASSED, FAILED, TIMED_OUT = "passed", "failed", "timed_out"


def result(
    outcome: str,
    *,
    result_class: Any = "outcome",
    code: str | None = None,
    output: Json = None,
    evidence: JsonObject | None = None,
    usage: tuple[int, int] = (0, 0),
) -> Result:
    """A result with its hash, which covers what later steps and the digest can see of it."""
    found = evidence or {}
    seen = {"outcome": outcome, "output": output, "evidence": found}
    return Result(outcome, result_class, code, output, found, *usage, hash=hash_json(seen))


def as_data(found: Result) -> JsonObject:
    """A result as event data; `Result(**data)` reads it back."""
    return asdict(found)


def with_evidence(found: Result, evidence: JsonObject) -> Result:
    """`found` with more evidence, and so with another hash."""
    return replace(
        result(
            found.outcome,
            result_class=found.result_class,
            code=found.code,
            output=found.output,
            evidence={**found.evidence, **evidence},
        ),
        tokens=found.tokens,
        cost_microdollars=found.cost_microdollars,
    )


def failed_after(found: Result, code: str) -> Result:
    """A failure in place of `found`, which keeps what was spent on it."""
    return result(FAILED, code=code, usage=(found.tokens, found.cost_microdollars))


def interpret(step: ProcessStep, end: AttemptEnded) -> Result:
    """The result that `end` means for `step`."""
    broken = _transport_failure(step, end)
    if broken is not None:
        return broken
    found = _replied(step, end) if step["kind"] == "agent" else _exited(step, end)
    return _with_files(step, found, end.files)


def _transport_failure(step: ProcessStep, end: AttemptEnded) -> Result | None:
    if end.never_started is not None:
        return result(FAILED, result_class="producer_rejected", code=end.never_started)
    if end.timed_out:
        return result(TIMED_OUT if TIMED_OUT in step["transitions"] else FAILED, code="timed_out")
    if end.signal is not None:
        return result(FAILED, code=f"killed_by_signal_{end.signal}")
    if end.output_lost:
        return result(FAILED, code="output_lost")
    if end.truncated and (step["output"] is not None or step["kind"] == "agent"):
        return result(FAILED, code="output_overflow")
    return None


def _exited(step: ProcessStep, end: AttemptEnded) -> Result:
    """Exec and gate: 0 is passed, others failed, unless the step says otherwise."""
    code = None if end.exit_code == 0 else f"exit_{end.exit_code}"
    outcome = PASSED if end.exit_code == 0 else FAILED
    if step["kind"] == "exec":
        outcome = step["exits"].get(str(end.exit_code), outcome)
    if step["kind"] == "gate" and step["expect"] == "fail":
        outcome = FAILED if outcome == PASSED or end.exit_code in NOT_RUN_EXITS else PASSED
    if step["output"] is None:
        return result(outcome, code=code if outcome != PASSED else None)
    output, problem = _json_output(step["output"], end.stdout or b"")
    if problem is not None:
        return result(FAILED, code=problem)
    return result(outcome, code=code if outcome != PASSED else None, output=output)


def _json_output(schema: JsonObject, stdout: bytes) -> tuple[Json, str | None]:
    try:
        value = parse_json(stdout.decode("utf-8"))
        canonical(value)
    except (UnicodeDecodeError, NotStrictJson, NotCanonical):
        return None, "output_not_json"
    return (None, "output_mismatch") if violation(schema, value) else (value, None)


def _replied(step: ProcessStep, end: AttemptEnded) -> Result:
    """Agent: only a declared result advances, and only a process that exited 0 has one."""
    if end.exit_code != 0:
        return result(FAILED, code=f"exit_{end.exit_code}")
    reply = parse_reply((end.stdout or b"").decode("utf-8", errors="replace"), reply_outcomes(step))
    if reply.outcome is None or reply.value is None:
        return result(FAILED, result_class=reply.result_class, code=reply.code)
    value = {name: member for name, member in reply.value.items() if name not in ("outcome", "usage")}
    usage = _usage(reply.value.get("usage"))
    if step["output"] is None:
        return result(reply.outcome, usage=usage)
    try:
        canonical(value)
    except NotCanonical:
        return result(FAILED, code="output_not_json", usage=usage)
    if violation(step["output"], value):
        return result(FAILED, code="output_mismatch", usage=usage)
    return result(reply.outcome, output=value, usage=usage)


def _usage(reported: Any) -> tuple[int, int]:
    """Tokens and microdollars that the agent reports; what it does not report counts as nothing known."""
    if not isinstance(reported, dict):
        return 0, 0
    tokens = _amount(reported.get("tokens"), TOKENS_MAX)
    return int(tokens), round(_amount(reported.get("cost_usd"), COST_USD_MAX) * 1_000_000)


def _amount(reported: Any, most: int) -> int | float:
    known = isinstance(reported, int | float) and not isinstance(reported, bool) and reported >= 0
    return min(reported, most) if known else 0


def named_files(step: ProcessStep, stdout: bytes) -> tuple[str, ...]:
    """The paths that an output names; the shell stores them before the result is recorded."""
    if step["output"] is None:
        return ()
    if step["kind"] == "agent":
        output: Any = parse_reply(stdout.decode("utf-8", errors="replace"), reply_outcomes(step)).value
    else:
        output, _ = _json_output(step["output"], stdout)
    return tuple(_paths(step["output"], output).values())


def _paths(schema: JsonObject, value: Any, place: str = "") -> dict[str, str]:
    """Place in the output (`wheel`, `parts[0].log`) -> path, of everything whose type is a file."""
    found: dict[str, str] = {}
    if schema.get("format") == "akm-file" and isinstance(value, str):
        found[place] = value
    elif isinstance(value, dict):
        for name, member in schema.get("properties", {}).items():
            found |= _paths(member, value.get(name), f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found |= _paths(schema.get("items", {}), item, f"{place}[{index}]")
    return found


def _with_files(step: ProcessStep, found: Result, files: Mapping[str, StoredFile | None]) -> Result:
    """Every file that a result names must be there; declared artifacts become evidence."""
    paths = _paths(step["output"] or {}, found.output)
    if any(files.get(path) is None for path in paths.values()):
        return failed_after(found, "file_missing")
    stored = {
        name: {"path": path, "sha256": file.sha256, "bytes": file.bytes}
        for name, path in paths.items()
        if (file := files.get(path)) is not None
    }
    evidence: JsonObject = {"files": stored} if stored else {}
    owed = {name: each["kind"] for name, each in evidence_of(step).items()}
    for name, kind in owed.items():
        if kind == "artifact" and name in stored:
            evidence[name] = stored[name]
        elif kind == "result" and found.outcome == PASSED:
            evidence[name] = {"outcome": found.outcome}
    missing = [name for name, kind in owed.items() if kind == "artifact" and name not in evidence]
    if missing and found.outcome == PASSED:
        return failed_after(found, "evidence_missing")
    return with_evidence(found, evidence)


def awaits_receipt(step: ProcessStep, found: Result) -> bool:
    """Whether the step can pass only with a receipt that must still be asked for."""
    return found.outcome == PASSED and bool(receipt_names(step))


def resolutions(step: ProcessStep) -> tuple[str, ...]:
    """What may settle an uncertain effect of `step`: completed only where it can pass at all."""
    completed = ("mark-completed",) if PASSED in step["transitions"] else ()
    return (*completed, "confirm-absent", "compensated", "mark-failed", "cancel")


def receipt_names(step: ProcessStep) -> tuple[str, ...]:
    """The evidence that a receipt satisfies."""
    return tuple(name for name, each in evidence_of(step).items() if each["kind"] == "receipt")


def receipt_files(step: ProcessStep, receipt: Json) -> tuple[str, ...]:
    """The paths that a receipt names where it stands in for an output."""
    return tuple(_paths(step["output"] or {}, receipt).values())


def from_receipt(step: ProcessStep, receipt: Json, files: Mapping[str, StoredFile | None]) -> Result | None:
    """The result that a found receipt proves after the process's own was lost.

    Where the step declares an output, the receipt has to be a value of that type; otherwise None.
    """
    if PASSED not in step["transitions"]:
        return None
    if step["output"] is not None and violation(step["output"], receipt):
        return None
    output = receipt if step["output"] is not None else None
    if step["kind"] == "gate" and step["expect"] == "fail":
        return result(FAILED, output=output)  # what the gate expects to fail has passed
    found = _with_files(step, result(PASSED, output=output), files)
    return with_evidence(found, dict.fromkeys(receipt_names(step), receipt))
