"""The colours of the language for editors: a TextMate grammar, made from the words of the one grammar.

`python -m akmc.textmate > editors/akm.tmLanguage.json` writes it anew. It looks at single lines, so it colours a
word by what stands beside it; what a source means, only the compiler knows.
"""

import json
import re
import sys
from collections.abc import Iterable
from typing import TypeAlias, get_args

import akm_grammar
from akm_specs.canonical import JsonObject
from akm_specs.plan.terms import Terminal

#: Words of the grammar that are no clauses: values, types, and words behind which a name stands that they define.
CONSTANTS = ("false", "null", "true")
TYPES = ("any", "boolean", "file", "int", "json", "list", "number", "one", "string")
DEFINING = (
    *("lifecycle", "initial", "state", "final", "tool", "agent", "group", "repository"),
    *("workflow", "param", "step"),
)

_NAME = r"[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
_FREE, _ENDED = r"(?<![\w.-])", r"(?![\w-])"

Pattern: TypeAlias = JsonObject


def keywords() -> tuple[str, ...]:
    """Every word that the grammar spells out, in alphabetical order."""
    return tuple(sorted(set(re.findall(r'"([a-z_]+)"', akm_grammar.read()))))


def grammar() -> JsonObject:
    """The TextMate grammar. Of patterns that match at one place, the first counts."""
    return {
        "name": "akm",
        "scopeName": "source.akm",
        "fileTypes": ["akm"],
        "patterns": [*_texts(), *_names(), *_numbers(), *_keywords(), *_signs()],
    }


def _texts() -> list[Pattern]:
    escape = _match(r'\\["\\]', "constant.character.escape.akm")
    json_escape = _match(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})', "constant.character.escape.akm")
    return [
        _match(r"#.*$", "comment.line.number-sign.akm"),
        {"begin": '"""', "end": '"""', "name": "string.quoted.triple.akm"},
        {"begin": 'e"', "end": '"|$', "name": "string.quoted.double.akm", "patterns": [json_escape]},
        {"begin": '"', "end": '"|$', "name": "string.quoted.double.akm", "patterns": [escape]},
    ]


def _names() -> list[Pattern]:
    """Names, told from keywords by what stands before or behind them: a step may be called `gate`."""
    outcome, target = "variable.other.constant.akm", "entity.name.function.akm"
    arrow, terminal = "keyword.operator.arrow.akm", "constant.language.akm"
    return [
        _parts(rf"{_FREE}({_any_of(DEFINING)})[ \t]+({_NAME})", "keyword.control.akm", target),
        _parts(rf"(->)[ \t]*({_any_of(get_args(Terminal))}){_ENDED}", arrow, terminal),
        _parts(rf"(->)[ \t]*({_NAME})", arrow, target),
        _parts(rf"{_FREE}(on)[ \t]+({_NAME})(?=[ \t]*->)", "keyword.control.akm", outcome),
        _match(rf"{_FREE}{_NAME}(?=[ \t]*(?:\.[ \t]*[A-Za-z]|\[[0-9]))", "variable.other.akm"),
        _match(rf"(?<=\.){_NAME}", "variable.other.member.akm"),
        _match(rf"{_FREE}{_NAME}(?=[ \t]*\??[ \t]*:)", "variable.other.property.akm"),
    ]


def _numbers() -> list[Pattern]:
    return [
        _match(r"(?<![\w.-])[0-9]+(?:\.[0-9]+)?[ \t]+USD(?![\w-])", "constant.numeric.money.akm"),
        _match(r"(?<![\w.-])(?:[0-9]+(?:ms|[smhd]))+(?![\w.])", "constant.numeric.duration.akm"),
        _match(r"(?<![\w.-])[0-9]+(?:B|[KMG]iB)(?![\w.])", "constant.numeric.size.akm"),
        _match(r"-?(?<!\w)[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?!\w)", "constant.numeric.akm"),
    ]


def _keywords() -> list[Pattern]:
    clauses = [word for word in keywords() if word not in (*CONSTANTS, *TYPES)]
    return [
        _match(rf"{_FREE}{_any_of(CONSTANTS)}{_ENDED}", "constant.language.akm"),
        _match(rf"{_FREE}{_any_of(TYPES)}{_ENDED}", "storage.type.akm"),
        _match(rf"{_FREE}{_any_of(clauses)}{_ENDED}", "keyword.control.akm"),
    ]


def _signs() -> list[Pattern]:
    return [_match(r"->|\.\.|=", "keyword.operator.akm"), _match(r"[{}\[\],:]", "punctuation.akm")]


def _any_of(words: Iterable[str]) -> str:
    """An expression for one of `words`, which is followed by no further letter."""
    return f"(?:{'|'.join(words)})"


def _match(expression: str, name: str) -> Pattern:
    return {"match": expression, "name": name}


def _parts(expression: str, *names: str) -> Pattern:
    """A pattern whose groups have names of their own."""
    return {"match": expression, "captures": {str(at): {"name": name} for at, name in enumerate(names, 1)}}


if __name__ == "__main__":
    json.dump(grammar(), sys.stdout, indent=2)
    sys.stdout.write("\n")
