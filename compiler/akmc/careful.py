"""A text with faults, read with care: every fault is told, and reading goes on behind it.

A slip that has one obvious reading (a misspelt keyword, a missing `:`) is reported and read as meant; after any
other, reading goes on with the next clause of the same block. So one fault is reported once.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

from akmc import syntax_findings
from akmc.automaton import Automaton, Refused, Token, Value, word_of
from akmc.diagnostic import Diagnostic
from akmc.document_parts import document_begun_by
from akmc.indentation import left_open
from akmc.language import END, language
from akmc.lexer import Lexer, NotAToken
from akmc.source import Source, Span
from akmc.syntax import Tree
from akmc.syntax_findings import Expectation

#: Levels of brackets in a source, and of `list of` in a type.
NESTING_MAX = 64
#: Words and signs of a source. It bounds the time that reading takes; the largest workflow needs a fifth.
WORDS_MAX = 100_000
#: Syntax errors after which reading stops: a file with more of them is something else than a source.
FINDINGS_MAX = 100

_OPENING = {"LBRACE": "RBRACE", "LSQB": "RSQB"}
_CLOSING = frozenset(_OPENING.values())
PARTING = frozenset({"_NEWLINE", "_COMMA"})
#: What a missing token may be for the text after it to be read as meant.
_INSERTABLE = ("COLON", "_ARROW", "LBRACE")

_BLANK = re.compile(r"[ \t]*")
_WORD = re.compile(r"[A-Za-z0-9_.]+|//|/\*|=>|.|\n")


@cache
def _pattern(*terminals: str) -> re.Pattern[str]:
    """What the grammar says that one of `terminals` looks like."""
    return re.compile(language().pattern(*terminals))


@cache
def _skipped() -> re.Pattern[str]:
    """What matters where text is skipped: whole texts, comments, brackets, and where a clause ends."""
    return re.compile(rf"{_pattern('TEXT', 'STRING').pattern}|#[^\n]*|[{{}}\[\],\n]")


@dataclass(slots=True)
class _Level:
    """One open bracket (none for the file itself) and the parser's stacks where its next clause begins."""

    opener: Token | None
    states: list[int]
    values: list[Value]
    clause: str = ""  # the terminal that began the clause which is being read
    lists: int = 0  # how many `list of` this clause has


class Stopped(Exception):
    """Nothing sensible can be read any more."""


class CarefulReading:
    """One pass over one source. After the first finding only the parser's states matter, not its values."""

    def __init__(self, source: Source) -> None:
        self.findings: list[Diagnostic] = []
        self.taken: list[Token] = []
        self._source = source
        self._automaton = Automaton(language())
        self._lexer = Lexer(language(), source.text)
        self._levels = [_Level(None, *self._stacks())]
        self._closed: tuple[_Level, Token] | None = None  # the outermost block, once it ended
        self._kind = ""  # the terminal that began the document
        self._before = ""
        self._words = 0
        self._refused_at = -1

    def run(self) -> Tree | None:
        """The tree, or None when there are findings."""
        try:
            self.read()
            return self._finish()
        except Stopped:
            return None

    def read(self) -> None:
        """Takes word after word, and leaves out what the language does not allow. Raises Stopped."""
        while True:
            try:
                while (token := self._lexer.next(self._automaton.state)) is not None:
                    self._take(token)
                return
            except Refused as error:
                self._recover(error.token)
            except NotAToken as error:
                self._recover_from_characters(error.at)

    def rest(self) -> Tree | None:
        """The tree of what was read: open blocks end here, and clauses that are broken off are left out."""
        end = len(self._source.text)
        self._end_levels(1, end)
        if END not in self._automaton.accepts():
            self._go_back_to(self._levels[0])
        try:
            tree = self._automaton.finish(end)
        except Refused:
            return None
        return next(tree.trees(), None)

    def keywords(self) -> frozenset[str]:
        """The keywords that may come next."""
        literals = language().literals
        texts = (literals.get(kind, "") for kind in self._automaton.accepts())
        return frozenset(text for text in texts if text.isidentifier())

    # Taking what the language allows

    def _take(self, token: Token) -> None:
        self._automaton.take(token)
        kind = self._before = token.kind
        self._words += 1
        if self._words > WORDS_MAX:
            self._stop(syntax_findings.too_long(self._source, _span(token), WORDS_MAX))
        level = self._levels[-1]
        if kind in PARTING:
            level.states, level.values = self._stacks()
            level.clause, level.lists = "", 0
            return
        self.taken.append(token)
        self._kind = self._kind or kind
        level.clause = level.clause or kind
        if kind in _OPENING:
            self._levels.append(_Level(token, *self._stacks()))
        elif kind in _CLOSING:
            self._levels.pop()
            if len(self._levels) == 1:
                self._closed = (level, token)
            return
        elif kind != "LIST":
            return
        else:
            level.lists += 1
        if len(self._levels) + sum(level.lists for level in self._levels) > NESTING_MAX + 1:
            self._stop(syntax_findings.nested_too_deep(self._source, _span(token), NESTING_MAX))

    def _finish(self) -> Tree | None:
        end = len(self._source.text)
        if self.findings and len(self._levels) == 1:
            return None
        try:
            tree = self._automaton.finish(end)
        except Refused:
            opener = self._levels[-1].opener
            if opener is not None:
                self._stop(left_open(self._source, self.taken, self.findings, _span(opener)))
            self._stop(syntax_findings.unexpected(self._source, Span(end, end), self._expectation()))
        return None if self.findings else tree

    # Going on after what it does not

    def _recover(self, refused: Token) -> None:
        """Reports `refused`, and brings the parser to where reading goes on: always further than before."""
        span = _span(refused)
        again = span.start == self._refused_at
        self._refused_at = span.start
        home = self._home(span.start)
        if home is not None and home < len(self._levels) - 1:
            self._leave_open_levels(home, span)
        elif home == 1 and self._closed is not None:
            self._reopen(span)
        elif refused.kind in _CLOSING and not again:
            self._close(refused)
        elif again:
            self._skip_clause(span.end if span.end > span.start else span.start + 1)
        else:
            expected = self._expectation()
            self._report(syntax_findings.unexpected(self._source, span, expected))
            if not self._repair(refused, expected):
                self._skip_clause(span.end if refused.kind == "_COMMA" else span.start)

    def _recover_from_characters(self, at: int) -> None:
        """The text at `at` begins no token at all."""
        text = self._source.text
        line_end = self._source.line_around(at)[0].end
        if text.startswith('"""', at):
            self._stop(syntax_findings.text_not_closed(self._source, Span(at, at + 3)))
        elif text.startswith('"', at):
            self._report(syntax_findings.text_not_closed(self._source, Span(at, line_end)))
            self._leave_levels_of_line(at, line_end)
            self._skip_clause(line_end)
        else:
            word = _WORD.match(text, at)
            assert word is not None, "some character stands where the lexer stopped"
            self._recover(Token("", word[0], at, word.end()))

    def _repair(self, refused: Token, expected: Expectation) -> bool:
        """Reads a misspelt keyword as meant, or a missing token as there, when that lets reading go on."""
        at = _span(refused).start
        nearest = expected.nearest_word(refused.text)
        for terminal in expected.terminals:
            if nearest is not None and language().literals.get(terminal) == nearest:
                self._take(Token(terminal, nearest, at, at + len(refused.text)))
                self._lexer.at = at + len(refused.text)
                return True
        for terminal in _INSERTABLE:
            if terminal in expected.terminals and self._would_help(terminal, refused):
                self._take(Token(terminal, language().literals[terminal], at, at))
                self._lexer.at = at
                return True
        return False

    def _would_help(self, terminal: str, refused: Token) -> bool:
        """Whether `refused` could be read if a token of kind `terminal` stood before it."""
        after = _after_blanks(self._source.text, refused.start)
        if terminal == "LBRACE" and self._home(after) is not None:
            return False
        accepted = self._automaton.accepts(terminal)
        return refused.kind in accepted or (refused.text.isidentifier() and "NAME" in accepted)

    def _close(self, closer: Token) -> None:
        """`closer` stands where its block cannot end: its clause is broken off, or another bracket is open."""
        span = _span(closer)
        closing = [None if level.opener is None else _OPENING[level.opener.kind] for level in self._levels]
        if closer.kind not in closing:
            self._report(syntax_findings.never_opened(self._source, span))
            self._resume(span.end)
            return
        depth = len(closing) - 1 - closing[::-1].index(closer.kind)
        if depth == len(self._levels) - 1:
            self._report(syntax_findings.unexpected(self._source, span, self._expectation()))
        for level in self._levels[depth + 1 :]:
            assert level.opener is not None, "only the file itself has no bracket"
            self._report(syntax_findings.never_closed(self._source, _span(level.opener), span))
        del self._levels[depth + 1 :]
        self._resume(span.start)

    def _leave_open_levels(self, home: int, head: Span) -> None:
        """A part that stands in level `home` begins, so whatever is open above it was never closed."""
        opener = self._levels[home + 1].opener
        assert opener is not None, "only the file itself has no bracket"
        self._report(left_open(self._source, self.taken, self.findings, _span(opener), head))
        self._end_levels(home + 1, head.start)
        del self._levels[home + 1 :]
        if "_NEWLINE" in self._automaton.accepts():
            self._automaton.take(Token("_NEWLINE", "\n", head.start, head.start))
            self._levels[home].states, self._levels[home].values = self._stacks()
        self._resume(head.start)

    def _end_levels(self, depth: int, at: int) -> None:
        """Takes the levels from `depth` on as closed at `at`; a clause that is broken off there is left out."""
        for level in reversed(self._levels[depth:]):
            assert level.opener is not None, "only the file itself has no bracket"
            closing = _OPENING[level.opener.kind]
            if closing not in self._automaton.accepts():
                self._go_back_to(level)
            self._automaton.take(Token(closing, "", at, at))

    def _leave_levels_of_line(self, start: int, end: int) -> None:
        """Closes what the line opened: its brackets from `start` to `end` were taken for part of a text."""
        line = self._source.line_around(start)[0].start
        for _ in re.findall(r"[}\]]", self._source.text[start:end]):
            opener = self._levels[-1].opener
            if opener is not None and opener.start >= line:
                self._levels.pop()

    def _reopen(self, head: Span) -> None:
        """A part of the block that ended follows it: the closing bracket was one too many."""
        assert self._closed is not None, "a block has ended"
        level, closer = self._closed
        self._report(syntax_findings.closed_too_early(self._source, _span(closer), head))
        self._closed = None
        self._levels.append(level)
        self._resume(head.start)

    def _skip_clause(self, start: int) -> None:
        """Goes on after the clause in which `start` stands, or where its block ends."""
        text, depth = self._source.text, 0
        for match in _skipped().finditer(text, start):
            piece, at = match[0], match.start()
            if piece in ("{", "["):
                depth += 1
            elif piece in ("}", "]"):
                if depth == 0:
                    self._resume(at)
                    return
                depth -= 1
            elif piece in (",", "\n") and not _pattern("_AND").match(text, at):
                after = _after_blanks(text, at)
                home = self._home(after) if depth else None
                if home is not None:
                    del self._levels[home + 1 :]
                if depth == 0 or home is not None:
                    self._resume(after)
                    return
        self._resume(len(text))

    def _home(self, at: int) -> int | None:
        """The level in which the part that begins at `at` stands; None when none begins there."""
        document = document_begun_by(self._source.text, at)
        if document == "workflow":
            return 1 if self._kind == "WORKFLOW" else None
        return 0 if document == "registry" and self._kind not in ("WORKFLOW", "LIFECYCLE") else None

    # The parser's position

    def _resume(self, at: int) -> None:
        """Goes on at `at` with the next clause of the innermost level."""
        level = self._levels[-1]
        self._go_back_to(level)
        level.clause, level.lists = "", 0
        self._before = "_NEWLINE"
        choices = language().states[self._automaton.state]
        if level.opener is None and ("TOOL" not in choices or "WORKFLOW" in choices):
            raise Stopped  # outside any block of a lifecycle or a workflow nothing else may stand
        self._lexer.at = at

    def _go_back_to(self, level: _Level) -> None:
        self._automaton.states, self._automaton.values = list(level.states), list(level.values)

    def _stacks(self) -> tuple[list[int], list[Value]]:
        return list(self._automaton.states), list(self._automaton.values)

    def _expectation(self) -> Expectation:
        return Expectation(self._automaton.accepts(), language().literals, self._levels[-1].clause, self._before)

    def _report(self, finding: Diagnostic) -> None:
        self.findings.append(finding)
        if len(self.findings) >= FINDINGS_MAX:
            self.findings.append(syntax_findings.too_many(self._source, finding.span, FINDINGS_MAX))
            raise Stopped

    def _stop(self, finding: Diagnostic) -> NoReturn:
        self._report(finding)
        raise Stopped


def _after_blanks(text: str, at: int) -> int:
    """Where the text goes on after the comma or line end at `at`."""
    part = _pattern("_NEWLINE", "_COMMA").match(text, at)
    blank = _BLANK.match(text, part.end() if part else at)
    assert blank is not None, "the pattern matches nothing too"
    return blank.end()


def _span(token: Token) -> Span:
    return word_of(token).span
