"""How differences are judged. A judge gets both sides and gives its verdicts, or None where it has none.

Without a verdict, what lies within is compared one by one. Judges that know a direction answer an exchanged pair
with the opposite; a `replaced` value widens either way, for nobody has reviewed what it does now.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from akm_specs.canonical import Json, canonical
from akmc.diff.change import ABSENT, Direction, Side, Verdict
from akmc.wording import duration_text, visible

Judge: TypeAlias = Callable[[Side, Side], list[Verdict] | None]
Unit: TypeAlias = Callable[[int], str]

#: Characters of a value that a verdict shows.
SHOWN_MAX = 60

_OPPOSITE: Mapping[Direction, Direction] = {"widens": "narrows", "narrows": "widens", "neutral": "neutral"}


def count(number: int) -> str:
    """A plain number."""
    return str(number)


def span(milliseconds: int) -> str:
    """A span of time."""
    return duration_text(milliseconds)


def size(number: int) -> str:
    """A number of bytes."""
    return f"{number} bytes"


def money(microdollars: int) -> str:
    """An amount of money."""
    return f"{microdollars / 1_000_000:f}".rstrip("0").rstrip(".") + " USD"


def replaced(old: Side, new: Side) -> list[Verdict]:
    """Something else than before, which may do anything."""
    return [Verdict("widens", _exchanged(old, new))]


def neutral(old: Side, new: Side) -> list[Verdict]:
    """Nothing that a run may do."""
    return [Verdict("neutral", _exchanged(old, new))]


def larger(direction: Direction, unit: Unit = count) -> Judge:
    """A number, plain or a bound, which when it grows widens or narrows. Absent or null, there is no limit."""

    def judge(old: Side, new: Side) -> list[Verdict]:
        before, after = _number(old), _number(new)
        if before == after:
            says = f"{_amount(before, unit)}, as before, is now {_origin(new)}"
            return [Verdict("neutral", says)] if _is_bound(old) and _is_bound(new) else replaced(old, new)
        grows = after is None or (before is not None and after > before)
        says = f"{_amount(before, unit)} -> {_amount(after, unit)}"
        return [Verdict(direction if grows else _OPPOSITE[direction], says)]

    return judge


def more(direction: Direction) -> Judge:
    """A set of names, each of which widens or narrows when it joins, and does the opposite when it leaves."""

    def judge(old: Side, new: Side) -> list[Verdict]:
        before, after = _elements(old), _elements(new)
        found = [Verdict(direction, f"gains {_shown(after[key])}") for key in after.keys() - before.keys()]
        found += [
            Verdict(_OPPOSITE[direction], f"loses {_shown(before[key])}") for key in before.keys() - after.keys()
        ]
        return sorted(found, key=str) or [Verdict("neutral", "the order is another")]

    return judge


def gained(direction: Direction) -> Judge:
    """Something that widens or narrows by being there. Of what stays, the parts are compared."""

    def judge(old: Side, new: Side) -> list[Verdict] | None:
        if old is ABSENT or old is None:
            return [Verdict(direction, "is new")]
        if new is ABSENT or new is None:
            return [Verdict(_OPPOSITE[direction], "is gone")]
        return None

    return judge


def ranked(*aspects: tuple[str, Sequence[set[str]]]) -> Judge:
    """A word out of a fixed few. Each aspect has the words in ranks; to rise in one widens.

    A word without a rank counts as replaced.
    """

    def judge(old: Side, new: Side) -> list[Verdict]:
        found = []
        for what, ranks in aspects:
            before, after = (_rank(ranks, side) for side in (old, new))
            if before is None or after is None:
                return replaced(old, new)
            if before != after:
                found.append(Verdict("widens" if after > before else "narrows", f"{what}: {old} -> {new}"))
        return found or neutral(old, new)

    return judge


def way(old: Side, new: Side) -> list[Verdict]:
    """Where an outcome leads on to. A way on that there was not widens, as does a way that is taken more often."""
    if not _is_way(old) or not _is_way(new):
        return replaced(old, new)
    before, after = _leads(old), _leads(new)
    found = [Verdict("widens", f"leads on to {name}") for name in after if name not in before]
    found += [Verdict("narrows", f"no longer leads on to {name}") for name in before if name not in after]
    if isinstance(old, dict) and isinstance(new, dict) and old["maximum"] != new["maximum"]:
        found += larger("widens")(old["maximum"], new["maximum"]) or []
    return found or [Verdict("neutral", f"leads to {_target(new)}, not to {_target(old)}")]


#: The members of a way and of a bound that have a judge. With any other, they are not known.
_WAY = {"target", "leads", "maximum", "back", "origin"}
_BOUND = {"value", "origin"}


def _is_way(side: Side) -> bool:
    return side is ABSENT or (isinstance(side, dict) and side.keys() <= _WAY)


def _is_bound(side: Side) -> bool:
    return isinstance(side, dict) and side.keys() == _BOUND


def _leads(side: Side) -> list[str]:
    return list(side["leads"]) if isinstance(side, dict) else []


def _target(side: Side) -> str:
    return str(side["target"]) if isinstance(side, dict) else "any step"


def _rank(ranks: Sequence[set[str]], side: Side) -> int | None:
    if not isinstance(side, str):
        return None
    return next((number for number, words in enumerate(ranks) if side in words), None)


def _number(side: Side) -> int | None:
    value: Any = side["value"] if isinstance(side, dict) else side
    return value if isinstance(value, int) else None


def _origin(side: Side) -> str:
    return str(side["origin"]) if isinstance(side, dict) else "written otherwise"


def _amount(number: int | None, unit: Unit) -> str:
    return "no limit" if number is None else unit(number)


def _elements(side: Side) -> dict[bytes, Json]:
    """The elements of a list by what tells them apart."""
    return {canonical(each): each for each in side} if isinstance(side, list) else {}


def _exchanged(old: Side, new: Side) -> str:
    before, after = _shown(old), _shown(new)
    return f"{before} -> {after}" if before != after else f"is another than {before}"


def _shown(side: Side) -> str:
    if side is ABSENT:
        return "nothing"
    text = side if isinstance(side, str) else _reference(side) or json.dumps(side, ensure_ascii=False)
    return visible(text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}…")


def _reference(side: Side) -> str | None:
    """A reference as the language writes it; None for anything else."""
    if not isinstance(side, dict) or side.keys() != {"root", "name", "path"}:
        return None
    roots = {"params": f"params.{side['name']}", "output": f"{side['name']}.output", "item": str(side["name"])}
    root = roots.get(side["root"], "?")
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in side["path"])
