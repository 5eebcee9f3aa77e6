"""Which names a source has, and what each of them names."""

import re
from collections import defaultdict

from lark import Lark
from lark.grammar import NonTerminal, Symbol

import akm_grammar
from akmc.lsp.hover import BOUNDING
from akmc.lsp.roles import ROLES
from akmc.lsp.symbols import mentions_in
from akmc.parse import parse, parse_partly
from akmc.source import Source


def mentions(text: str) -> list[tuple[str, str, bool]]:
    return [(each.kind, each.name, each.defines) for each in mentions_in(parse(Source("a.akm", text)).tree)]


def test_every_rule_of_the_grammar_that_has_names_says_what_they_are() -> None:
    language = Lark(akm_grammar.read(), parser="lalr", maybe_placeholders=False)
    symbols: defaultdict[str, set[Symbol]] = defaultdict(set)
    for rule in language.rules:
        symbols[rule.origin.name] |= set(rule.expansion)

    def has_names(rule: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a name stands in the rule itself, or in one whose words count as its own."""
        return any(
            symbol.name == "NAME"
            or (
                isinstance(symbol, NonTerminal)
                and symbol.name.startswith("_")
                and symbol.name not in seen
                and has_names(symbol.name, seen | {symbol.name})
            )
            for symbol in symbols[rule]
        )

    named = {rule for rule in symbols if not rule.startswith("_") and has_names(rule)}
    assert named == {*ROLES, "reference"}


def test_what_bounds_is_a_rule_of_the_grammar() -> None:
    assert set(re.findall(r"^([a-z_]+):", akm_grammar.read(), re.MULTILINE)) >= BOUNDING


def test_the_item_of_a_map_holds_inside_of_its_map_only() -> None:
    text = """\
workflow w "t" {
  step x: map x in params.all {
    with { a: x.b, c: params.all, d: y.output }
  }
  step y: exec t { with { a: x.output } }
}
"""
    assert mentions(text) == [
        ("step", "x", True),
        ("item", "x", True),
        ("param", "all", False),
        ("item", "x", False),
        ("param", "all", False),
        ("step", "y", False),
        ("step", "y", True),
        ("tool", "t", False),
        ("step", "x", False),
    ]


def test_items_of_two_maps_are_two_things() -> None:
    steps = "".join(f"  step {name}: map i in params.l {{ with {{ k: i }} }}\n" for name in "ab")
    tree = parse(Source("a.akm", f'workflow w "t" {{\n{steps}}}\n')).tree
    first, second, other, _ = (each for each in mentions_in(tree) if each.kind == "item")
    assert first.names_the_same_as(second)
    assert not first.names_the_same_as(other)


def test_properties_and_pools_mention_what_they_are_about() -> None:
    text = """\
workflow w "t" {
  step a: panel {
    assign 2 of [c, d]
    gate { judge e, rubric "r", max_loops 1 }
    on passed -> completed
  }
  require a before b
  never b after a
}
"""
    assert [(kind, name) for kind, name, _ in mentions(text)] == [
        *(
            ("step", "a"),
            ("agent", "c"),
            ("agent", "d"),
            ("agent", "e"),
            ("outcome", "passed"),
            ("step", "completed"),
        ),
        *(("step", "a"), ("step", "b"), ("step", "b"), ("step", "a")),
    ]


def test_what_can_be_read_of_a_broken_text_has_its_names() -> None:
    tree = parse_partly(
        Source("a.akm", 'workflow w "t" {\n  step a: exec t {\n    attempts\n    on x -> b\n  step c: exec')
    )
    assert tree is not None
    assert ("step", "b") in [(each.kind, each.name) for each in mentions_in(tree)]
    assert parse_partly(Source("a.akm", "nothing of ours")) is None
    assert parse_partly(Source("a.akm", "")) is None
