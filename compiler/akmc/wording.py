"""How messages spell what the author wrote: names, lists of names, durations."""

from collections.abc import Iterable
from difflib import get_close_matches

#: Names that a message lists before it says that there are more.
LISTED_MAX = 12

#: Zero-width joiner and non-joiner.
_JOINERS = "\u200d\u200c"

_UNITS_MS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` is most likely a slip of, or None."""
    names = {each.casefold(): each for each in known}
    found = get_close_matches(name.casefold(), list(names), n=1)
    return names[found[0]] if found else None


def instead_of(name: str, known: Iterable[str], what: str) -> str:
    """What to write instead of the unknown `name`: the nearest of `known`, or all of them.

    `what` names the kind of thing, in the plural.
    """
    names = list(dict.fromkeys(known))
    near = nearest(name, names)
    if near is not None:
        return f"did you mean `{near}`?"
    return f"{what} here: {listed(names)}" if names else f"there are no {what} here"


def listed(names: Iterable[str]) -> str:
    """`a`, `b`, `c`, shortened where there are many."""
    quoted = [f"`{name}`" for name in names]
    more = len(quoted) - LISTED_MAX
    return ", ".join(quoted[:LISTED_MAX]) + (f" and {more} more" if more > 0 else "")


def duration_text(milliseconds: int) -> str:
    """A duration as the language writes it, such as `1h30m`."""
    parts = []
    for unit, size in _UNITS_MS:
        count, milliseconds = divmod(milliseconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0ms"


def visible(text: str) -> str:
    """`text` on one line of a terminal: each control character (a tab too, an escape above all) as a harmless one.

    Joiners stay, which hold the parts of one emoji or of one syllable together.
    """
    return "".join(
        " " if character == "\t" else character if character.isprintable() or character in _JOINERS else "\ufffd"
        for character in text
    )
