"""The language as tables: which words may come when, and what they make. Made from the grammar, once.

The tables lie beside the grammar. A grammar that was changed since is read anew, which takes the parser library
some time; `python -m akmc.grammar_table` then writes its tables.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

import akm_grammar
from akm_specs.canonical import JsonObject, hash_bytes

#: What becomes of one symbol of a rule in the rule's tree: it is left out, or kept.
DROP, KEEP = "-", "+"
#: The terminal that stands for the end of the text.
END = "$END"

#: What to do in a state when a symbol comes: go on in the state of that number, or, below 0, reduce by a rule.
Row: TypeAlias = Mapping[str, int]


class Production(NamedTuple):
    """A rule of the grammar. `tree` names its tree; None means that it has none, and gives its children away.

    `kept` are the positions of the symbols that become children. One that `passes` has a single symbol, and is what
    that is.
    """

    origin: str
    tree: str | None
    size: int
    kept: tuple[int, ...]
    passes: bool


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The terminals that may come in a state. `tried` matches the first of them, whose name is its last group,
    behind what is ignored. No word begins like what is ignored, so that the order of the two does not matter.

    `words` has the texts that are no plain match of their terminal, but a terminal of their own.
    """

    tried: re.Pattern[str]
    words: Mapping[str, Mapping[str, str]]


class Language:
    """The tables. What hardly any source needs is made when it is asked for."""

    def __init__(self, tables: JsonObject) -> None:
        #: The text of each terminal that has only one.
        self.literals: Mapping[str, str] = tables["literals"]
        self.states: list[Row] = tables["states"]
        self.end_state: int = tables["end"]
        self.productions = [_production(*rule) for rule in tables["rules"]]
        self._patterns: dict[str, str] = tables["patterns"]
        #: What stands between words and means nothing: blanks and comments, or nothing at all.
        self.ignored = re.compile(f"(?:{self.pattern(*tables['ignored'])})*+")
        self._every_terminal: int = tables["every_terminal"]
        self._lexicon_of: list[int] = tables["lexicon_of"]
        self._lexicons: list[JsonObject] = tables["lexicons"]
        self._made: dict[int, Lexicon] = {}

    def lexicon(self, state: int) -> Lexicon:
        """The terminals that may come in `state`."""
        at = self._lexicon_of[state]
        return self._made.get(at) or self._lexicon(at)

    def every_terminal(self) -> Lexicon:
        """All terminals, whatever may come."""
        return self._made.get(self._every_terminal) or self._lexicon(self._every_terminal)

    def pattern(self, *terminals: str) -> str:
        """The regular expression of what one of `terminals` looks like."""
        return "|".join(f"(?:{self._patterns[name]})" for name in terminals)

    def _lexicon(self, at: int) -> Lexicon:
        alternatives = "|".join(f"(?P<{name}>{self._patterns[name]})" for name in self._lexicons[at]["tried"])
        tried = re.compile(f"{self.ignored.pattern}(?:{alternatives})")
        self._made[at] = Lexicon(tried, self._lexicons[at]["words"])
        return self._made[at]


@cache
def language() -> Language:
    """The language of `.akm` files."""
    tables: JsonObject = json.loads(akm_grammar.read_tables())
    if tables["grammar"] != hash_bytes(akm_grammar.read().encode()):
        from akmc.grammar_table import tables_of  # here, because it needs the parser library

        tables = tables_of(akm_grammar.read())
    return Language(tables)


def _production(origin: str, tree: str | None, fates: str) -> Production:
    kept = tuple(at for at, fate in enumerate(fates) if fate == KEEP)
    return Production(origin, tree, len(fates), kept, passes=tree is None and fates == KEEP)
