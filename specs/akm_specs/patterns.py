"""Patterns: regular expressions that are matched in linear time, and mean the same on both sides.

Text from outside is matched against them, so the engine is one that cannot be made to hang: RE2. What it lacks
(looking around, referring back) is what costs exponential time elsewhere. The meaning of a pattern is the one of
JSON Schema: it may match anywhere, `^` and `$` are the start and the end of the whole text, and classes such as
`\\d` hold ASCII alone (source: types in docs/reference/language.md; reasons: docs/decisions/0011-patterns.md).
"""

import re
from functools import lru_cache
from typing import Any

#: Longest pattern, in characters. One that a reader can check is much shorter.
PATTERN_LENGTH_MAX = 1024
#: Memory that one compiled pattern may take, in bytes. It bounds what counted repetitions can blow up to.
PATTERN_MEMORY_BYTES_MAX = 1024 * 1024

#: What other engines have, what to write instead.
_INSTEAD = (
    (re.compile(r"\(\?<?[=!]"), "say what may stand there, not what must not: there is no looking ahead or behind"),
    (re.compile(r"\\[1-9]|\(\?P=|\\k<"), "write the parts out: a pattern cannot refer back to what it matched"),
    (re.compile(r"\\Z"), r"write `$` or `\z`: both mean the end of the text, and no line end before it"),
    (re.compile(r"\\[uU]"), r"write `\x{...}` with the character's number, or the character itself"),
    (re.compile(r"[*+?}]\+|\(\?>"), "leave out what keeps a part from giving back: no pattern here backtracks"),
    (re.compile(r"\{[0-9,]*\}"), "repeat a part at most 1000 times, all repetitions around it counted"),
)
_MEND = "mend the pattern: it takes what RE2 takes"


class BadPattern(ValueError):
    """The text is no pattern. `instead` says what to write."""

    def __init__(self, reason: str, instead: str) -> None:
        super().__init__(f"{reason}; {instead}")
        self.reason = reason
        self.instead = instead


def check_pattern(pattern: str) -> None:
    """Raises BadPattern unless `pattern` is one."""
    _compiled(pattern)


def matches(pattern: str, text: str) -> bool:
    """Whether `pattern` matches somewhere in `text`, in time linear in both. Raises BadPattern.

    A text with a lone surrogate is no text, and matches nothing.
    """
    compiled = _compiled(pattern)
    try:
        return compiled.search(text.encode()) is not None
    except UnicodeEncodeError:
        return False


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:  # the library has no types
    import re2  # here, because few documents have patterns

    if len(pattern) > PATTERN_LENGTH_MAX:
        raise BadPattern(f"it is longer than {PATTERN_LENGTH_MAX} characters", "shorten it")
    options = re2.Options()
    options.log_errors = False  # else it writes to standard error by itself
    options.max_mem = PATTERN_MEMORY_BYTES_MAX
    try:
        return re2.compile(pattern, options)
    except UnicodeEncodeError as error:
        raise BadPattern("it has a lone surrogate, which stands for no character", _MEND) from error
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise BadPattern(reason, _instead(pattern)) from error


def _instead(pattern: str) -> str:
    return next((advice for sign, advice in _INSTEAD if sign.search(pattern)), _MEND)
