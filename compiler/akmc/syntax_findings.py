"""What a syntax error says, in the words of the language rather than of its grammar.

The parser reports which terminals it could have taken; these functions turn that into findings.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from akmc.diagnostic import Diagnostic
from akmc.source import Source, Span

UNEXPECTED = "AKM0001"
TEXT_NOT_CLOSED = "AKM0002"
BRACKETS_UNMATCHED = "AKM0003"
NESTED_TOO_DEEP = "AKM0004"
READING_STOPPED = "AKM0005"

#: How much of an unexpected text a message repeats, in characters.
FOUND_LENGTH_MAX = 40
#: How many alternatives a message names before it leaves them to the help.
ALTERNATIVES_MAX = 3

_ENDS = frozenset({"_NEWLINE", "_COMMA", "_AND", "RBRACE", "RSQB", "$END"})
_TYPE_WORDS = frozenset({"STRING_TYPE", "INT", "NUMBER_TYPE", "BOOLEAN", "FILE", "LIST", "ONE", "ANY", "JSON"})
_VALUES = frozenset({"STRING", "TEXT", "INTEGER", "NUMBER", "TRUE", "FALSE", "NULL", "LBRACE", "LSQB"})

_PHRASES = {
    "NAME": "a name",
    "STRING": "a text in double quotes",
    "TEXT": 'a text in `"""`',
    "SPAN": "a time span such as `10m`",
    "SIZE": "a size such as `8MiB`",
    "MONEY": "an amount such as `5 USD`",
    "INTEGER": "a whole number",
    "NUMBER": "a number",
    "INDEX": "an index such as `[0]`",
}

#: What a name stands for, by the word before it. `_ARROW`, `ON` and `COLON` are told apart by the clause.
_NAMES_AFTER = {
    "LIFECYCLE": "the lifecycle's name",
    "WORKFLOW": "the workflow's name",
    "PARAM": "the parameter's name",
    "STEP": "the step's name",
    "TOOL": "a tool's name",
    "AGENT": "an agent's name",
    "GROUP": "the group's name",
    "EXEC": "a tool's name",
    "GATE": "a tool's name",
    "SIGNAL": "the signal's name",
    "INITIAL": "a state's name",
    "STATE": "a state's name",
    "FINAL": "a state's name",
    "EFFECT": "an effect class",
    "EVIDENCE": "the evidence's name",
    "BY": "a person or a group",
    "READS": "a reference",
    "ROUTE": "a reference",
    "SCHEMA": "a reference",
    "EXPECT": "`pass` or `fail`",
    "DOT": "a field's name",
}
_NAMES_IN_CLAUSE = {
    ("ON", "ON"): "an outcome",
    ("RETRY", "ON"): "a reason such as `timeout`",
    ("ON", "_ARROW"): "a target",
    ("WHEN", "_ARROW"): "a target",
    ("OTHERWISE", "_ARROW"): "a target",
    ("EXIT", "_ARROW"): "an outcome",
    ("EVIDENCE", "COLON"): "a kind of evidence",
}
_HINTS = {
    "'": "a text stands in double quotes",
    ";": "a clause ends at a newline or a comma",
    "//": "`#` begins a comment",
    "/*": "`#` begins a comment",
    "=>": "an arrow is written `->`",
    "\u2192": "an arrow is written `->`",
    "\u201c": 'a text stands in straight double quotes: "..."',
    "\u201d": 'a text stands in straight double quotes: "..."',
}


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the parser could have taken at a place: terminals, and the words that came before.

    `keywords` gives the text of each terminal that has only one. `clause` is the first terminal of the clause,
    `before` the last one taken; both are empty at the start.
    """

    terminals: Collection[str]
    keywords: Mapping[str, str]
    clause: str
    before: str

    def words(self) -> list[str]:
        """The keywords that could stand here, in alphabetical order."""
        texts = (self.keywords.get(terminal, "") for terminal in self.terminals)
        return sorted(text for text in texts if text.isidentifier())

    def nearest_word(self, found: str) -> str | None:
        """The keyword that `found` may be a slip of."""
        return next(iter(get_close_matches(found, self.words(), n=1, cutoff=0.7)), None)

    def phrases(self) -> list[str]:
        """The alternatives as a reader would name them; an alternative that is always there comes last."""
        left = set(self.terminals)
        found: list[str] = []
        if {"TRUE", "NULL"} <= left:
            found.append("a value or a reference" if "NAME" in left else "a value")
            left -= _VALUES | {"NAME"}
        if {"BOOLEAN", "FILE"} <= left:
            found.append("a type")
            left -= _TYPE_WORDS | {"LBRACE"}
            left -= {terminal for terminal in left if self.keywords.get(terminal) in ("string", "number")}
        if "NAME" in left:
            found.append(self._name())
            left.discard("NAME")
        ends = left & _ENDS
        found += sorted(self._phrase(terminal) for terminal in left - _ENDS)
        return found + _end_phrases(ends, at_start=bool(found) and self.before in ("", "LBRACE", "LSQB", *_ENDS))

    def _name(self) -> str:
        known = _NAMES_IN_CLAUSE.get((self.clause, self.before)) or _NAMES_AFTER.get(self.before)
        return known or ("a state's name" if self.before == "_ARROW" else _PHRASES["NAME"])

    def _phrase(self, terminal: str) -> str:
        return _PHRASES.get(terminal) or f"`{self.keywords.get(terminal, terminal)}`"


def unexpected(source: Source, span: Span, expected: Expectation) -> Diagnostic:
    """Something else stands where the language wants one of `expected`."""
    text = source.text[span.start : span.end] or source.text[span.start : span.start + 1]
    phrases = expected.phrases()
    if not text and "WORKFLOW" in expected.terminals:
        message = "the file holds no document"
    elif len(phrases) <= ALTERNATIVES_MAX:
        message = f"expected {_one_of(phrases)}, found {_found(text)}"
    else:
        message = f"{_found(text)} cannot stand here"
    return Diagnostic(UNEXPECTED, "error", message, _unexpected_help(source, span, expected), source, span)


def text_not_closed(source: Source, span: Span) -> Diagnostic:
    """A text's opening quotes have no closing ones: on the same line, or anywhere for triple quotes."""
    triple = source.text.startswith('"""', span.start)
    message = 'the text that `"""` opens here is never closed' if triple else "this text is not closed on its line"
    closing = '"""' if triple else '"'
    advice = f"end it with `{closing}`" + ("" if triple else '; a text of several lines stands in `"""`')
    return Diagnostic(TEXT_NOT_CLOSED, "error", message, advice, source, span)


def never_closed(source: Source, opener: Span, before: Span | None = None) -> Diagnostic:
    """A bracket is open at the end of the file, or still open where `before` begins something else."""
    bracket = source.text[opener.start : opener.end]
    closing = "}" if bracket == "{" else "]"
    if before is None:
        message, place = f"this `{bracket}` is never closed", "where its block ends"
    else:
        line = source.position(before.start).line
        message = f"this `{bracket}` is not closed before `{source.text[before.start : before.end]}` on line {line}"
        place = f"before line {line}"
    return Diagnostic(BRACKETS_UNMATCHED, "error", message, f"write `{closing}` {place}", source, opener)


def never_opened(source: Source, closer: Span) -> Diagnostic:
    """A closing bracket that no open bracket matches."""
    bracket = source.text[closer.start : closer.end]
    message = f"this `{bracket}` closes nothing"
    advice = "remove it, or open its block before it"
    return Diagnostic(BRACKETS_UNMATCHED, "error", message, advice, source, closer)


def closed_too_early(source: Source, closer: Span, head: Span) -> Diagnostic:
    """A bracket ends the document's block, but `head` begins another part of it."""
    bracket = source.text[closer.start : closer.end]
    part, line = source.text[head.start : head.end], source.position(head.start).line
    message = f"this `{bracket}` ends the block to which `{part}` on line {line} belongs"
    return Diagnostic(BRACKETS_UNMATCHED, "error", message, f"remove this `{bracket}`", source, closer)


def nested_too_deep(source: Source, span: Span, levels_max: int) -> Diagnostic:
    """More levels of brackets, or of `list of`, than anyone can read. Reading stops here."""
    message = f"nested deeper than {levels_max} levels"
    return Diagnostic(NESTED_TOO_DEEP, "error", message, "flatten the value or the type", source, span)


def too_many(source: Source, span: Span, findings_max: int) -> Diagnostic:
    """Reading stopped: what follows was not looked at."""
    message = f"more than {findings_max} syntax errors; what follows was not read"
    return Diagnostic(READING_STOPPED, "error", message, "mend the first ones and compile again", source, span)


def too_long(source: Source, span: Span, words_max: int) -> Diagnostic:
    """Reading stopped: no workflow that people can read has so many words."""
    message = f"more than {words_max} words; what follows was not read"
    advice = "split the source, or move its data to a file"
    return Diagnostic(READING_STOPPED, "error", message, advice, source, span)


def _end_phrases(ends: Collection[str], *, at_start: bool) -> list[str]:
    if at_start:  # a block may always end where a clause may begin; that is worth no words
        return []
    if "_NEWLINE" in ends:
        return ["the end of the clause"] if set(ends) - {"_NEWLINE", "$END"} else ["the end of the file"]
    return ["`}`"] * ("RBRACE" in ends) + ["`]`"] * ("RSQB" in ends) + ["the end of the file"] * ("$END" in ends)


def _found(text: str) -> str:
    if not text:
        return "the end of the file"
    if text[0] == "\n":
        return "the end of the line"
    if not text.isprintable() or text.isspace():
        character = next(character for character in text if not character.isprintable() or character.isspace())
        return f"the character U+{ord(character):04X}"
    shown = text if len(text) <= FOUND_LENGTH_MAX else text[:FOUND_LENGTH_MAX] + "..."
    return f"`{shown}`"


def _unexpected_help(source: Source, span: Span, expected: Expectation) -> str:
    nearest = expected.nearest_word(source.text[span.start : span.end])
    if nearest is not None:
        return f"did you mean `{nearest}`?"
    for start, hint in _HINTS.items():
        if source.text.startswith(start, span.start):
            return hint
    phrases = expected.phrases()
    if len(phrases) > ALTERNATIVES_MAX:
        return "what can stand here: " + _one_of(phrases)
    return f"write {phrases[0]} here" if phrases else "remove it"


def _one_of(phrases: list[str]) -> str:
    return phrases[0] if len(phrases) == 1 else ", ".join(phrases[:-1]) + " or " + phrases[-1]
