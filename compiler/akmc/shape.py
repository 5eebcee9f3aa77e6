"""Checking a lowered document against its model: every fault becomes a diagnostic."""

from typing import Any, TypeVar

from akm_specs.node import Node
from akm_specs.reader import Fault, FaultKind, Place, read
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.lowered import Lowered
from akmc.wording import duration_text, instead_of

N = TypeVar("N", bound=Node)

#: The code of each kind of fault, in every format.
CODES: dict[FaultKind, str] = {
    "missing": "AKM1001",
    "small": "AKM1002",
    "large": "AKM1002",
    "short": "AKM1003",
    "long": "AKM1003",
    "word": "AKM1004",
    "unknown": "AKM1005",
    "form": "AKM1005",
}

#: What a member of the document is called in a source, where the two differ.
_WORDS = {
    "timeout_ms": "timeout",
    "span_ms": "wait",
    "duration_ms": "duration",
    "cost_microdollars": "cost",
    "maximum": "max",
    "recoveries": "recover",
    "input": "with",
    "count": "retry",
    "code": "exit",
    "kind": "evidence",
    "strategy": "join",
    "passed": "pass",
    "remaining": "then",
    "reducer": "reduce",
    "remediations": "remediate",
    "output_bytes_max": "output_max",
    "path": "workflow",
}
_HOLDERS = {
    "params": "param",
    "steps": "step",
    "tools": "tool",
    "agents": "agent",
    "groups": "group",
    "repositories": "repository",
}


def shaped(lowered: Lowered, model: type[N]) -> N:
    """The document as a node of kind `model`. Raises CompileFailed with every fault of its shape."""
    found, faults = read(model, lowered.document)
    if faults:
        raise CompileFailed(_diagnostic(lowered, fault) for fault in faults)
    return found


def clause_word(member: str) -> str:
    """What the author calls the document's `member`."""
    return _WORDS.get(member, member)


def _diagnostic(lowered: Lowered, fault: Fault) -> Diagnostic:
    message, help_text = _wording(fault)
    subject = _subject(lowered.document, fault.place)
    return Diagnostic(
        code=CODES[fault.kind],
        severity="error",
        message=f"{subject}: {message}" if subject else message,
        help=help_text,
        source=lowered.source,
        span=lowered.span(fault.place),
    )


def _subject(document: Any, place: Place) -> str:
    """What the place belongs to, such as "step `build`"."""
    match place:
        case (str(holder), int(at), *_) if holder in _HOLDERS:
            entry = document[holder][at]
            name = entry.get("name") if isinstance(entry, dict) else None
            return f"{_HOLDERS[holder]} `{name}`" if isinstance(name, str) else ""
        case ("limits", *_):
            return "limits"
        case _:
            return ""


def _wording(fault: Fault) -> tuple[str, str]:
    """Message and help for one fault."""
    member = next((part for part in reversed(fault.place) if isinstance(part, str)), "document")
    word = "reject" if "rejects" in fault.place else clause_word(member)
    match fault.kind:
        case "missing":
            return f"`{word}` is missing", f"add a `{word}` clause"
        case "small" | "large":
            limit = duration_text(fault.limit) if member.endswith("_ms") and fault.limit > 1 else str(fault.limit)
            bound = "at least" if fault.kind == "small" else "at most"
            return f"`{word}` must be {bound} {limit}", f"write a value that is {bound} {limit}"
        case "long":
            unit = "characters" if isinstance(fault.found, str) else "entries"
            return f"`{word}` has more than {fault.limit} {unit}", "shorten it"
        case "short":
            return f"`{word}` is empty", f"give `{word}` at least {fault.limit}"
        case "word":
            return f"`{fault.found}` is no word for `{word}`", instead_of(str(fault.found), fault.wanted, "words")
        case "unknown":
            return f"a document has no `{word}` here", "see `akmc schema document`"
        case "form":
            return f"`{word}` must be {' or '.join(fault.wanted)}", "see `akmc schema document`"
