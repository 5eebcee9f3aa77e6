"""From one word of a source to what it says: texts, numbers, spans of time, sizes, amounts of money.

All readers have one shape, so that a table can name them: they take the lowering, to report to, and the word.
"""

import json
import math
import re
import textwrap

from akmc.document import TEXT_LENGTH_MAX
from akmc.lowered import Lowering
from akmc.syntax import Word

NUMBER_TOO_LARGE = "AKM0007"
TEXT_TOO_LONG = "AKM1003"

#: Largest whole number that JSON readers agree on (RFC 8259, section 6).
INTEGER_MAX = 2**53 - 1

_MILLISECONDS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_BYTES = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
_MICRODOLLARS = 1_000_000


def text(lowering: Lowering, word: Word) -> str:
    r"""The text of a NAME, of a STRING, or of a TEXT, which is raw.

    In a STRING `\"` and `\\` are the only escapes. One with an `e` before it has those of JSON.
    """
    found = _meant(word)
    if len(found) > TEXT_LENGTH_MAX:
        message = f"this text has more than {TEXT_LENGTH_MAX} characters"
        lowering.report(TEXT_TOO_LONG, word.span, message, "move it to a file")
        return ""
    return found


def _meant(word: Word) -> str:
    if word.kind == "NAME":
        return word.text
    if word.kind == "TEXT":
        return raw_text(word)
    if word.text.startswith("e"):
        escaped: str = json.loads(word.text[1:], strict=False)
        return escaped
    return re.sub(r'\\(["\\])', r"\1", word.text[1:-1])


def raw_text(word: Word) -> str:
    """What a TEXT says: without its first line end, the blanks before its closing quotes, and its common indent."""
    body = re.sub(r"\A[ \t]*\n", "", word.text[3:-3])
    return textwrap.dedent(re.sub(r"(?<=\n)[ \t]*\Z", "", body))


def integer(lowering: Lowering, word: Word) -> int:
    """The whole number of an INTEGER; 0, and a finding, where it is out of range."""
    return _in_range(lowering, word, int(word.text)) if len(word.text) < 20 else _too_large(lowering, word)


def index(lowering: Lowering, word: Word) -> int:
    """The whole number in an INDEX such as `[3]`."""
    return integer(lowering, Word("INTEGER", word.text[1:-1], word.span))


def number(lowering: Lowering, word: Word) -> float:
    """The number of a NUMBER; 0, and a finding, where no double can hold it."""
    value = float(word.text)
    return value if math.isfinite(value) else _too_large(lowering, word)


def span_ms(lowering: Lowering, word: Word) -> int:
    """The milliseconds of a SPAN such as `1h30m`."""
    if len(word.text) > 40:
        return _too_large(lowering, word)
    parts = re.findall(r"([0-9]+)([a-z]+)", word.text)
    return _in_range(lowering, word, sum(int(count) * _MILLISECONDS[unit] for count, unit in parts))


def size_bytes(lowering: Lowering, word: Word) -> int:
    """The bytes of a SIZE such as `8MiB`."""
    count = word.text.rstrip("BKMGi")
    unit = word.text[len(count) :]
    if len(count) > 19:
        return _too_large(lowering, word)
    return _in_range(lowering, word, int(count) * _BYTES[unit])


def microdollars(lowering: Lowering, word: Word) -> int:
    """The millionths of a dollar of a MONEY such as `0.50 USD`; a finer amount is a finding."""
    whole, _, fraction = word.text.removesuffix("USD").strip().partition(".")
    if len(whole) > 19:
        return _too_large(lowering, word)
    if len(fraction.rstrip("0")) > 6:
        lowering.report(
            NUMBER_TOO_LARGE, word.span, "an amount has at most six decimals", "round it to millionths of a dollar"
        )
        return 0
    return _in_range(lowering, word, int(whole) * _MICRODOLLARS + int(fraction[:6].ljust(6, "0")))


def _in_range(lowering: Lowering, word: Word, value: int) -> int:
    return value if abs(value) <= INTEGER_MAX else _too_large(lowering, word)


def _too_large(lowering: Lowering, word: Word) -> int:
    advice = f"the largest whole number is {INTEGER_MAX}"
    lowering.report(NUMBER_TOO_LARGE, word.span, "this number is too large to be exact", advice)
    return 0
