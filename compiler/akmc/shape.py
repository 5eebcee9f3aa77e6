"""Checking a lowered document against its model: every finding of pydantic becomes a diagnostic."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.document import Place
from akmc.lowered import Lowered
from akmc.wording import duration_text, instead_of

M = TypeVar("M", bound=BaseModel)

#: The code for each kind of fault that pydantic names; what is not here has the last code.
_CODES = {
    "missing": "AKM1001",
    "greater_than_equal": "AKM1002",
    "less_than_equal": "AKM1002",
    "string_too_long": "AKM1003",
    "string_too_short": "AKM1003",
    "too_long": "AKM1003",
    "too_short": "AKM1003",
    "literal_error": "AKM1004",
}
_OTHER = "AKM1005"

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
}
_HOLDERS = {"steps": "step", "tools": "tool", "agents": "agent", "groups": "group", "params": "param"}


def shaped(lowered: Lowered, model: type[M]) -> M:
    """The document as a value of `model`. Raises CompileFailed with every fault of its shape."""
    try:
        # A strict model takes a tuple from JSON's text only, so the document goes through it.
        return model.model_validate_json(json.dumps(lowered.document))
    except ValidationError as error:
        faults = error.errors(include_url=False)
        own = [fault for fault in faults if not _follows(fault, faults)]
        raise CompileFailed(_diagnostic(lowered, fault) for fault in own) from error


def _follows(fault: ErrorDetails, faults: list[ErrorDetails]) -> bool:
    """Whether `fault` only says that a list is short of the entries that other faults are about."""
    loc = fault["loc"]
    inner = (other["loc"] for other in faults if len(other["loc"]) > len(loc))
    return fault["type"] == "too_short" and any(other[: len(loc)] == loc for other in inner)


def clause_word(member: str) -> str:
    """What the author calls the document's `member`."""
    return _WORDS.get(member, member)


def _diagnostic(lowered: Lowered, fault: ErrorDetails) -> Diagnostic:
    place, member = _place(lowered.document, fault["loc"])
    word = clause_word(str(member))
    message, help_text = _wording(fault, word, in_ms=str(member).endswith("_ms"))
    subject = _subject(lowered.document, place)
    return Diagnostic(
        code=_CODES.get(fault["type"], _OTHER),
        severity="error",
        message=f"{subject}: {message}" if subject else message,
        help=help_text,
        source=lowered.source,
        span=lowered.span(place),
    )


def _place(document: Any, loc: Place) -> tuple[Place, str | int]:
    """The place in the document that `loc` means, and the last member that it names.

    pydantic also writes into `loc` which alternative of a union it tried; the document has no such member.
    """
    place: list[str | int] = []
    member: str | int = "document"
    for part in loc:
        if isinstance(document, dict) and part in document:
            document = document[str(part)]
        elif isinstance(document, list) and isinstance(part, int) and part < len(document):
            document = document[part]
        else:
            member = part
            continue
        place.append(part)
        member = part if isinstance(part, str) else member
    return tuple(place), member


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


def _wording(fault: ErrorDetails, word: str, *, in_ms: bool) -> tuple[str, str]:
    """Message and help for one fault."""
    context = fault.get("ctx", {})
    match fault["type"]:
        case "missing":
            return f"`{word}` is missing", f"add a `{word}` clause"
        case "greater_than_equal" | "less_than_equal" as side:
            limit = context["ge"] if side == "greater_than_equal" else context["le"]
            text = duration_text(limit) if in_ms and limit > 1 else str(limit)
            bound = "at least" if side == "greater_than_equal" else "at most"
            return f"`{word}` must be {bound} {text}", f"write a value that is {bound} {text}"
        case "string_too_long" | "too_long" as kind:
            unit = "characters" if kind == "string_too_long" else "entries"
            return f"`{word}` has more than {context['max_length']} {unit}", "shorten it"
        case "string_too_short" | "too_short":
            return f"`{word}` is empty", f"give `{word}` at least {context['min_length']}"
        case "literal_error":
            words = re.findall(r"'([^']*)'", str(context["expected"]))
            return f"`{fault['input']}` is no word for `{word}`", instead_of(str(fault["input"]), words, "words")
        case _:
            return f"`{word}` has not the form of a document: {fault['msg']}", "see `akmc schema document`"
