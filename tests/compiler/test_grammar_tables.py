"""The shipped tables are those of the grammar, and reading by them is reading as the parser library does."""

import subprocess
import sys
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark, LarkError, Token
from lark import Tree as LarkTree

import akm_grammar
from akm_specs.lifecycle import NAMES
from akmc.diagnostic import CompileFailed
from akmc.grammar_table import EveryWordIsLexed, tables_of, tables_text
from akmc.language import language
from akmc.parse import parse
from akmc.rules import all_rules
from akmc.source import Source, Span
from akmc.syntax import Tree, Word

#: But for those of the one rule about what the grammar allows and we do not: any depth.
RULES = [rule for rule in all_rules() if rule.language == "akm" and rule.code != "AKM0004"]
SOURCES = [
    *(files("akm_specs").joinpath("lifecycles", f"{name}.akm").read_text(encoding="utf-8") for name in NAMES),
    *(text for rule in RULES for text in (rule.wrong, rule.right)),
    *sorted({rule.registry for rule in RULES if rule.registry is not None}),
]
#: Words, signs and what may stand between them, as they occur in sources.
PIECES = sorted({piece for text in SOURCES for piece in [*text.split(), " ", "\n", ",\n", "# said\n", "\t", "#"]})


@pytest.fixture(scope="module")
def library() -> Lark:
    return Lark(
        akm_grammar.read(),
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=False,
        postlex=EveryWordIsLexed(),
    )


def as_ours(tree: LarkTree[Token]) -> Tree:
    """The library's tree as one of ours."""
    meta = tree.meta
    span = Span(0, 0) if meta.empty else Span(meta.start_pos, meta.end_pos)
    children = (as_ours(child) if isinstance(child, LarkTree) else word(child) for child in tree.children)
    return Tree(str(tree.data), tuple(children), span)


def word(token: Token) -> Word:
    assert token.start_pos is not None
    assert token.end_pos is not None
    return Word(token.type, str(token), Span(token.start_pos, token.end_pos))


def by_library(library: Lark, text: str) -> Tree | None:
    """The document that the library reads; None where it refuses."""
    try:
        (document,) = as_ours(library.parse(text)).trees()
    except LarkError:
        return None
    return document


def by_tables(text: str) -> Tree | None:
    """The document that we read; None where we refuse."""
    try:
        return parse(Source("a.akm", text)).tree
    except CompileFailed:
        return None


def test_the_shipped_tables_are_those_of_the_grammar() -> None:
    up_to_date = akm_grammar.read_tables() == tables_text(tables_of(akm_grammar.read()))
    assert up_to_date, "run: python -m akmc.grammar_table"


def test_the_tables_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "import akm_grammar; from akmc.grammar_table import tables_of, tables_text;"
        "print(tables_text(tables_of(akm_grammar.read())), end='')"
    )
    for seed in ("1", "2"):
        argv = [sys.executable, "-c", program]
        made = subprocess.run(argv, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True)
        assert made.stdout == akm_grammar.read_tables()


def test_a_grammar_that_was_changed_is_read_without_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that whoever edits the grammar sees at once what it does."""
    changed = akm_grammar.read().replace('"attempts"', '"tries"')
    monkeypatch.setattr(akm_grammar, "read", lambda: changed)
    language.cache_clear()
    try:
        assert language().literals["TRIES"] == "tries"
    finally:
        monkeypatch.undo()
        language.cache_clear()
    assert "TRIES" not in language().literals


@pytest.mark.parametrize("text", SOURCES)
def test_a_source_has_the_tree_that_the_library_gives_it(library: Lark, text: str) -> None:
    assert by_tables(text) == by_library(library, text)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_whatever_is_mixed_is_read_or_refused_as_the_library_does(library: Lark, text: str) -> None:
    assert by_tables(text) == by_library(library, text)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(SOURCES), st.data())
def test_a_source_with_a_slip_is_read_or_refused_as_the_library_does(
    library: Lark, text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 10, len(text))))
    slipped = text[:start] + data.draw(st.sampled_from(["", *PIECES])) + text[end:]
    assert by_tables(slipped) == by_library(library, slipped)
