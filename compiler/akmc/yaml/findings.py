"""What is refused in a YAML text before anyone looks at what it says (source: docs/reference/front-ends.md)."""

from akmc.diagnostic import Diagnostic
from akmc.source import Source, Span

NOT_YAML = "AKM7001"
TAB = "AKM7002"
ANCHOR = "AKM7003"
TAG = "AKM7004"
SECOND_DOCUMENT = "AKM7005"
DUPLICATE_KEY = "AKM7006"
KEY_NOT_TEXT = "AKM7007"
MERGE_KEY = "AKM7008"
LIMIT = "AKM7009"
BYTE_ORDER_MARK = "AKM7010"
LINE_END = "AKM7011"
CHARACTER = "AKM7012"
DIRECTIVE = "AKM7013"
UNKNOWN_KEY = "AKM7014"


def not_yaml(source: Source, span: Span, problem: str) -> Diagnostic:
    """The text cannot be read any further."""
    return _error(NOT_YAML, source, span, f"this is not YAML: {problem}", "mend what stands here or just before it")


def tab(source: Source, span: Span) -> Diagnostic:
    """A tab where YAML wants spaces."""
    return _error(TAB, source, span, "a tab cannot indent", "indent with spaces")


def anchor(source: Source, span: Span, name: str) -> Diagnostic:
    """`&name`: one value would stand in several places."""
    return _error(ANCHOR, source, span, f"`&{name}` is an anchor", "write the value out wherever it is needed")


def alias(source: Source, span: Span, name: str) -> Diagnostic:
    """`*name`: a value that stands somewhere else."""
    return _error(ANCHOR, source, span, f"`*{name}` is an alias", "write the value out wherever it is needed")


def tag(source: Source, span: Span, name: str) -> Diagnostic:
    """`!name`: a type of the author's choice."""
    return _error(
        TAG, source, span, f"`{name}` is a tag", "remove it; a text that looks like a number stands in quotes"
    )


def second_document(source: Source, span: Span) -> Diagnostic:
    """`---` begins something that nobody would read."""
    return _error(SECOND_DOCUMENT, source, span, "a second document begins here", "write it into a file of its own")


def directive(source: Source, span: Span) -> Diagnostic:
    """`%YAML` or `%TAG` would change how the rest is read."""
    return _error(DIRECTIVE, source, span, "a directive changes how YAML is read", "remove the line")


def duplicate_key(source: Source, span: Span, key: str, first: Span) -> Diagnostic:
    """A key that its mapping has already."""
    line = source.position(first.start).line
    return _error(
        DUPLICATE_KEY, source, span, f"the key `{key}` stands on line {line} already", "keep one of the two"
    )


def key_not_text(source: Source, span: Span, found: str) -> Diagnostic:
    """A key that is a number, a word of JSON, a list or a mapping."""
    advice = f'write `"{found}"` if it is meant as a text' if found else "a key is a text"
    return _error(KEY_NOT_TEXT, source, span, "this key is no text", advice)


def merge_key(source: Source, span: Span) -> Diagnostic:
    """`<<`: keys that stand somewhere else."""
    return _error(MERGE_KEY, source, span, "`<<` merges no keys here", "write the keys out")


def limit(source: Source, span: Span, what: str, most: int, advice: str) -> Diagnostic:
    """More of something than any workflow needs. Reading stops here."""
    return _error(LIMIT, source, span, f"more than {most} {what}; what follows was not read", advice)


def byte_order_mark(source: Source) -> Diagnostic:
    """The file begins with an invisible character."""
    return _error(
        BYTE_ORDER_MARK, source, Span(0, 0), "the file begins with a byte order mark", "save it without one"
    )


def line_end(source: Source, span: Span) -> Diagnostic:
    """A carriage return without a newline: editors disagree whether the line ends here."""
    message = "a carriage return stands here without a newline"
    return _error(LINE_END, source, span, message, "end every line alike, with LF or with CRLF")


def character(source: Source, span: Span, found: str) -> Diagnostic:
    """A character that YAML may not hold, or that some readers take for a line end."""
    message = f"the character U+{ord(found):04X} cannot stand here"
    return _error(
        CHARACTER, source, span, message, f'remove it; between double quotes it is `"\\u{ord(found):04X}"`'
    )


def _error(code: str, source: Source, span: Span, message: str, advice: str) -> Diagnostic:
    return Diagnostic(code, "error", message, advice, source, span)
