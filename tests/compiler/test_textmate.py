"""The colours for editors: made from the grammar's own words, and right about texts that could confuse them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lark import Lark
from lark.lexer import PatternStr

import akm_grammar
from akmc.textmate import CONSTANTS, DEFINING, TYPES, grammar, keywords

ROOT = Path(__file__).parents[2]


def coloured(line: str) -> list[tuple[str, str]]:
    """The coloured pieces of one line, as editors find them: leftmost first, then by the order of the patterns."""
    return [(text, name.removesuffix(".akm")) for text, name in _pieces(line, grammar()["patterns"])]


def _pieces(line: str, patterns: list[dict[str, object]]) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(line):
        found = [
            (match.start(), order, match, pattern)
            for order, pattern in enumerate(patterns)
            if (match := re.compile(str(pattern.get("match") or pattern["begin"])).search(line, at))
        ]
        if not found:
            return
        _, _, match, pattern = min(found, key=lambda each: each[:2])
        end = match.end()
        if "end" in pattern:
            closing = re.compile(str(pattern["end"])).search(line, end)
            end = len(line) if closing is None else closing.end()
            yield line[match.start() : end], str(pattern["name"])
        elif "captures" in pattern:
            captures = pattern["captures"]
            assert isinstance(captures, dict)
            yield from ((match[int(number)], capture["name"]) for number, capture in captures.items())
        else:
            yield match[0], str(pattern["name"])
        at = end


def test_the_file_of_colours_is_made_from_the_grammar() -> None:
    if not (ROOT / "compiler" / "akmc").is_dir():
        pytest.skip("about the checkout's files, and this suite runs outside of one")
    text = (ROOT / "editors" / "akm.tmLanguage.json").read_text(encoding="utf-8")
    assert json.loads(text) == grammar(), "run: python -m akmc.textmate > editors/akm.tmLanguage.json"


def test_the_words_are_those_that_the_parser_of_the_grammar_knows() -> None:
    language = Lark(akm_grammar.read(), parser="lalr", maybe_placeholders=False)
    texts = (each.pattern.value for each in language.terminals if isinstance(each.pattern, PatternStr))
    assert set(keywords()) == {text for text in texts if text.isidentifier()}


def test_words_with_a_colour_of_their_own_are_words_of_the_grammar() -> None:
    assert {*CONSTANTS, *TYPES, *DEFINING} <= set(keywords())


@pytest.mark.parametrize("word", keywords())
def test_every_word_of_the_grammar_has_a_colour(word: str) -> None:
    ((text, name),) = coloured(word)
    assert text == word
    assert name.split(".")[0] in ("keyword", "constant", "storage")


def test_words_of_the_grammar_are_not_coloured_inside_of_other_words() -> None:
    assert coloured("once") == []
    assert coloured("gate-keeper") == []


def test_a_name_that_is_also_a_word_of_the_grammar_is_coloured_as_a_name() -> None:
    assert coloured("step gate: gate timeout {")[:2] == [
        ("step", "keyword.control"),
        ("gate", "entity.name.function"),
    ]
    assert coloured("on timeout -> state")[1:] == [
        ("timeout", "variable.other.constant"),
        ("->", "keyword.operator.arrow"),
        ("state", "entity.name.function"),
    ]
    assert coloured("with { on: step.output }")[2:5] == [
        ("on", "variable.other.property"),
        (":", "punctuation"),
        ("step", "variable.other"),
    ]


def test_what_stands_in_texts_and_comments_is_not_coloured_as_code() -> None:
    assert coloured('argv ["a # b"] # step')[2:] == [
        ('"a # b"', "string.quoted.double"),
        ("]", "punctuation"),
        ("# step", "comment.line.number-sign"),
    ]
    assert coloured('# step "x"') == [('# step "x"', "comment.line.number-sign")]
    assert coloured('prompt """step a"""') == [
        ("prompt", "keyword.control"),
        ('"""step a"""', "string.quoted.triple"),
    ]


def test_numbers_with_units_are_one_piece() -> None:
    assert [text for text, _ in coloured("1h30m 8MiB 0.50 USD -3 1..3 1.5e3")] == [
        *("1h30m", "8MiB", "0.50 USD", "-3", "1", "..", "3", "1.5e3")
    ]
