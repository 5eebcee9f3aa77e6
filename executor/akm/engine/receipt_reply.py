"""The answer of a receipt query: exit 0 with `{"found": true, "receipt": …}` or `{"found": false}`.

Anything else is ambiguous: it proves nothing, neither presence nor absence.
"""

from dataclasses import dataclass
from typing import Literal

from akm.dispatch.processes import ProcessEnd
from akm_specs.canonical import Json, NotCanonical, NotStrictJson, canonical, parse_json


@dataclass(frozen=True, slots=True)
class ReceiptReply:
    answer: Literal["found", "absent", "ambiguous"]
    receipt: Json
    detail: str


def read_reply(end: ProcessEnd) -> ReceiptReply:
    """What the query's process said."""
    if end.exit_code != 0 or end.timed_out:
        why = end.spawn_error or ("timed out" if end.timed_out else f"exit {end.exit_code}, signal {end.signal}")
        return _ambiguous(why)
    if end.stdout.truncated or end.stdout.lost:
        return _ambiguous("its answer is too long")
    try:
        said = parse_json(end.stdout.path.read_bytes().decode("utf-8"))
        canonical(said)
    except (UnicodeDecodeError, NotStrictJson, NotCanonical) as error:
        return _ambiguous(f"its answer is no strict JSON: {error}")
    match said:
        case {"found": True, "receipt": receipt, **rest} if not rest and receipt is not None:
            return ReceiptReply("found", receipt, "")
        case {"found": False, **rest} if not rest:
            return ReceiptReply("absent", None, "")
    return _ambiguous('its answer is neither {"found": true, "receipt": …} nor {"found": false}')


def _ambiguous(detail: str) -> ReceiptReply:
    return ReceiptReply("ambiguous", None, detail)
