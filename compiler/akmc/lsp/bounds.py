"""The bounds that a plan states, as rows for a reader: what is bounded, how far, and who said so."""

from collections.abc import Callable, Iterator, Mapping

from akmc.wording import duration_text

_HEAD = "| Bound | | |\n|---|---|---|\n"
#: How a number is shown whose name in the plan ends so.
_UNITS: Mapping[str, Callable[[int], str]] = {
    "_ms": duration_text,
    "_bytes": lambda count: f"{count} B",
    "_bytes_max": lambda count: f"{count} B",
    "_microdollars": lambda amount: f"{amount / 1_000_000:g} USD",
}


def bounds_table(part: object) -> str:
    """Every bound in a part of a plan, as a Markdown table; nothing where there is none."""
    rows = [f"| {name} | {value} | {origin} |\n" for name, value, origin in _bounds(part, "")]
    return _HEAD + "".join(rows) if rows else ""


def _bounds(part: object, name: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(part, Mapping):
        if part.keys() == {"value", "origin"}:
            unit = next((ending for ending in _UNITS if name.endswith(ending)), "")
            shown = _UNITS[unit](part["value"]) if unit else str(part["value"])
            yield name.removesuffix(unit).strip(), shown, part["origin"]
        else:
            for key, value in part.items():
                yield from _bounds(value, f"{name} {key}".strip())
    elif isinstance(part, list):
        for at, value in enumerate(part):
            yield from _bounds(value, f"{name} {at}")
