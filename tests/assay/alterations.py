"""How a fuzzer alters what is well formed: bytes, texts and JSON values, by a chance that a seed gives again."""

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

Chance: TypeAlias = random.Random

PAGE_BYTES = 4096
ODD_TEXTS = (
    "",
    "\0",
    "\u202e",
    "é" * 50,
    "\ud800",
    "x" * 300,
    "../..",
    "-",
    "--",
    "{}",
    "null",
    "1e999",
    "\n",
    "#1/1",
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, -(2**70), 0.5, 1e308, [], {}, [[]], {"": None}),
    *ODD_TEXTS,
)


def altered_bytes(chance: Chance, data: bytes, page: int = PAGE_BYTES) -> bytes:
    """`data` with one to four bits flipped, runs of bytes replaced, pages swapped, or its end cut off."""
    altered = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        if not altered:
            return b""
        at = chance.randrange(len(altered))
        match chance.randrange(6):
            case 0 | 1:
                altered[at] ^= 1 << chance.randrange(8)
            case 2:
                altered[at : at + 8] = chance.randbytes(8)[: len(altered) - at]
            case 3:
                del altered[at:]
            case 4 if len(altered) >= 2 * page:
                one, other = chance.sample(range(len(altered) // page), 2)
                first, second = slice(one * page, (one + 1) * page), slice(other * page, (other + 1) * page)
                altered[first], altered[second] = altered[second], altered[first]
            case _:
                altered[at : at + 64] = bytes(min(64, len(altered) - at))
    return bytes(altered)


def altered_text(chance: Chance, text: str, others: Sequence[str]) -> str:
    """`text` with words taken out, doubled, moved or replaced, by words of its own or of `others`."""
    words = re.findall(r"\w+|\s+|.", text, flags=re.DOTALL)
    pool = words + re.findall(r"\w+|\s+|.", chance.choice(others), flags=re.DOTALL)
    for _ in range(chance.randint(1, 5)):
        at, span = chance.randrange(len(words) + 1), chance.choice([1, 1, 1, 2, 5, 30])
        match chance.randrange(6):
            case 0:
                del words[at : at + span]
            case 1:
                words[at:at] = words[at : at + span]
            case 2 if pool:
                start = chance.randrange(len(pool))
                words[at:at] = pool[start : start + span]
            case 3 if pool:
                words[at : at + 1] = [chance.choice(pool)]
            case 4:
                words[at : at + 1] = [chance.choice(ODD_TEXTS)]
            case _:
                words[at:at] = [chance.choice("{}[]()\"'\\,:#->@\t\r\n") * chance.choice([1, 1, 2, 70])]
    return "".join(words)


def altered_value(chance: Chance, value: Any, among: Any = None) -> Any:
    """The JSON `value` with one to three of its parts replaced, removed, doubled or renamed.

    Parts are taken from `value` itself or from `among`, so that types often fit.
    """
    pool = [part for _, _, part in _places(value)] + [part for _, _, part in _places(among)]
    for _ in range(chance.randint(1, 3)):
        places = list(_places(value))
        if not places:
            return chance.choice(ODD_VALUES)
        holder, key, part = chance.choice(places)
        match chance.randrange(6):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, _copied(part))
            case 2 if isinstance(holder, dict):
                holder[chance.choice(ODD_TEXTS)] = holder.pop(key)
            case 3 if isinstance(part, int):
                holder[key] = part + chance.choice([-1, 1, 10**6])
            case 4:
                holder[key] = _copied(chance.choice(ODD_VALUES))
            case _:
                holder[key] = _copied(chance.choice(pool))  # never what holds itself
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Every part of `value`, with what holds it and under which key."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key, part
            yield from _places(part)


def _copied(value: Any) -> Any:
    """A copy that shares no part with `value`."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list) else value
