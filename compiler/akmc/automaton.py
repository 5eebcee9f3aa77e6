"""The words of a text by the language's tables: which may come next, and the tree of those that came.

An LALR(1) automaton: it shifts words onto its stacks, and reduces the topmost ones by a rule of the grammar.
"""

from typing import NamedTuple, TypeAlias

from akmc.language import END, Language, Production
from akmc.source import Span
from akmc.syntax import Tree, Word


class Token(NamedTuple):
    """A word or a sign of a text, `text[start:end]`. `kind` is its terminal; "" means that it is none."""

    kind: str
    text: str
    start: int
    end: int


class Refused(Exception):
    """No text that the grammar knows goes on with `token`."""

    def __init__(self, token: Token) -> None:
        super().__init__(token)
        self.token = token


#: What was read: where it begins and ends (at -1 if it has no words), and a word, or a tree, or None and the trees
#: and words that stand in its place.
Value: TypeAlias = tuple[int, int, Token | Tree | None, list[Tree | Word]]


class Automaton:
    """Two stacks: the states passed through, and what was read on the way from one to the next."""

    def __init__(self, language: Language) -> None:
        self.states = [0]
        self.values: list[Value] = []
        self._language = language

    @property
    def state(self) -> int:
        """The state that the next word meets."""
        return self.states[-1]

    def take(self, token: Token) -> None:
        """Goes on with `token`. Raises Refused, with the stacks reduced as far as they can be."""
        rows, states = self._language.states, self.states
        while (action := rows[states[-1]].get(token.kind)) is not None and action < 0:
            rule = self._language.productions[-1 - action]
            if rule.passes:
                states[-1] = rows[states[-2]][rule.origin]
            else:
                self._reduce(rule)
        if action is None:
            raise Refused(token)
        states.append(action)
        self.values.append((token.start, token.end, token, []))

    def finish(self, at: int) -> Tree:
        """The tree of a text that ends at `at`. Raises Refused where something is missing."""
        rows = self._language.states
        while (action := rows[self.states[-1]].get(END)) is not None and action < 0:
            self._reduce(self._language.productions[-1 - action])
            if self.states[-1] == self._language.end_state:
                tree = self.values[-1][2]
                assert isinstance(tree, Tree), "the start rule has a tree"
                return tree
        raise Refused(Token(END, "", at, at))

    def accepts(self, *before: str) -> frozenset[str]:
        """The terminals that may come next, or after words of the kinds `before`, if those may come."""
        states = list(self.states)
        if not all(_pass(self._language, states, kind) for kind in before):
            return frozenset()
        candidates = filter(str.isupper, self._language.states[states[-1]])
        return frozenset(kind for kind in candidates if _pass(self._language, list(states), kind))

    def _reduce(self, rule: Production) -> None:
        states, values = self.states, self.values
        first = len(values) - rule.size
        children: list[Tree | Word] = []
        for at in rule.kept:
            _, _, value, inner = values[first + at]
            if value is None:  # what begins with a long list becomes its owner, so that no list is copied twice
                children = [*children, *inner] if children else inner
            else:
                children.append(value if isinstance(value, Tree) else word_of(value))
        start, end = _extent(values, first)
        tree = None if rule.tree is None else Tree(rule.tree, tuple(children), Span(max(start, 0), max(end, 0)))
        del values[first:], states[first + 1 :]
        states.append(self._language.states[states[-1]][rule.origin])
        values.append((start, end, tree, children))


def word_of(token: Token) -> Word:
    """The word that `token` is in a tree. A line end has no extent: what is wrong with it is where it stands."""
    end = token.start if token.text.startswith("\n") else token.end
    return Word(token.kind, token.text, Span(token.start, end))


def _extent(values: list[Value], first: int) -> tuple[int, int]:
    """Where the words among `values` from `first` on begin and end; -1 for both when there are none."""
    last = len(values) - 1
    if first > last:
        return -1, -1
    while (start := values[first][0]) < 0 and first < last:
        first += 1
    while (end := values[last][1]) < 0 and first < last:
        last -= 1
    return start, end


def _pass(language: Language, states: list[int], kind: str) -> bool:
    """Whether a word of `kind` may come after `states`, which then go on behind it."""
    while (action := language.states[states[-1]].get(kind)) is not None and action < 0:
        rule = language.productions[-1 - action]
        del states[len(states) - rule.size :]
        states.append(language.states[states[-1]][rule.origin])
    if action is None:
        return kind == END and states[-1] == language.end_state
    states.append(action)
    return True
