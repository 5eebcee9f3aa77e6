"""Spans and counts as people type them."""

import re

from akm.cli.reporting import UsageFault

_UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def span_ms(text: str) -> int:
    """`500ms`, `30s`, `10m`, `1h30m` in milliseconds. Raises UsageFault."""
    parts = re.findall(r"(\d+)(ms|s|m|h|d)", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise UsageFault(f"{text!r} is no span: write it as 500ms, 30s, 10m, 2h or 1h30m")
    return sum(int(number) * _UNITS_MS[unit] for number, unit in parts)


def count(text: str, option: str) -> int:
    """A whole number from 1. Raises UsageFault."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise UsageFault(f"{option} takes a whole number from 1, not {text!r}")
    return int(text)


def span_text(milliseconds: int) -> str:
    """A span for people: the two largest units."""
    left, parts = max(0, milliseconds), []
    for unit in ("d", "h", "m", "s"):
        number, left = divmod(left, _UNITS_MS[unit])
        if number:
            parts.append(f"{number}{unit}")
    return "".join(parts[:2]) or f"{left}ms"
