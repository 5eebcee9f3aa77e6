"""Timeouts as akm Markdown writes them."""

import re

#: Longest timeout, in milliseconds.
TIMEOUT_MS_MAX = 2**31 - 1

_MILLISECONDS = {"": 1, "ms": 1, "s": 1_000, "m": 60_000}


def milliseconds(written: str | int) -> int | None:
    """The milliseconds of a timeout; 0 for `none`, which leaves it to the registry. None where it is no timeout."""
    text = str(written).strip().lower()
    if text == "none":
        return 0
    match = re.fullmatch(r"([0-9]{1,15})(ms|s|m)?", text)
    found = int(match[1]) * _MILLISECONDS[match[2] or ""] if match else 0
    return found if 1 <= found <= TIMEOUT_MS_MAX else None
