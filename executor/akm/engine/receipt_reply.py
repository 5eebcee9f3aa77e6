"""The answer of a receipt query: exit 0 with `{"found": true, "receipt": …}` or `{"found": false}`.

After a push, git itself is asked. Anything else is ambiguous: it proves nothing, neither presence nor absence.
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


def read_listing(end: ProcessEnd, pushed: Json) -> ReceiptReply:
    """What `git ls-remote` said of the branch to which a commit was pushed; `pushed` is the receipt if it is there.

    A branch with another commit is not the one that was pushed: that proves absence too.
    """
    if end.exit_code != 0 or end.timed_out or end.stdout.truncated or end.stdout.lost:
        return _ambiguous(end.spawn_error or ("timed out" if end.timed_out else f"git exited with {end.exit_code}"))
    found = listed(end.stdout.path.read_bytes())
    if isinstance(pushed, dict) and found is not None and found == pushed["commit"]:
        return ReceiptReply("found", pushed, "")
    return ReceiptReply("absent", None, "")


def listed(answer: bytes) -> str | None:
    """The commit of the one branch that was asked for; None where the remote has no such branch."""
    words = answer.decode("ascii", errors="replace").split()
    return words[0] if words else None


def _ambiguous(detail: str) -> ReceiptReply:
    return ReceiptReply("ambiguous", None, detail)
