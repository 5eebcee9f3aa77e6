"""A text that has no fault, read straight through.

Most texts have none, and keeping what going on after a fault needs costs as much as reading itself. So a text is
first read without; where that is refused, `parse` reads it anew, with care.
"""

from akmc.automaton import Automaton, Refused, Token
from akmc.language import language
from akmc.syntax import Tree


def read_straight(text: str, words_max: int, depth_max: int) -> tuple[Tree, list[Token]] | None:
    """The tree of `text`, and its words and signs in order, line ends and commas included.

    None where the text has a fault, or is larger than reading without care allows.
    `depth_max` is in states that the parser stands on: brackets are never deeper than those.
    """
    tables = language()
    automaton, taken = Automaton(tables), list[Token]()
    at, states = 0, automaton.states
    try:
        while (found := (lexicon := tables.lexicon(states[-1])).tried.match(text, at)) is not None:
            kind, at = found.lastgroup, found.end()
            assert kind is not None, "each alternative is a group"
            word = found[kind]
            if kind in lexicon.words:
                kind = lexicon.words[kind].get(word, kind)
            token = Token(kind, word, at - len(word), at)
            automaton.take(token)
            taken.append(token)
            if len(states) > depth_max:
                return None
        if len(taken) > words_max or not _only_ignored(text, at):
            return None
        return automaton.finish(len(text)), taken
    except Refused:
        return None


def _only_ignored(text: str, at: int) -> bool:
    """Whether no word stands behind `at`."""
    skipped = language().ignored.match(text, at)
    return skipped is not None and skipped.end() == len(text)
