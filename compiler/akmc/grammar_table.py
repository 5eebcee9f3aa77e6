"""From the grammar's text to the tables by which it is read; the only module that knows the parser library.

Making the tables takes the library longer than reading a source with them, so `python -m akmc.grammar_table` makes
them once and writes them beside the grammar. A test holds that they are the ones of the grammar.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lark import Lark, Token
from lark.grammar import Rule, Symbol, Terminal
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

import akm_grammar
from akm_specs.canonical import Json, JsonObject, hash_bytes
from akmc.language import DROP, KEEP


class EveryWordIsLexed:
    """Lets a word be one token even where no name may stand, so that `once` never begins with `on`."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The words as they are."""
        return stream


def tables_of(grammar: str) -> JsonObject:
    """The tables of a grammar, as `akmc.automaton` reads them. The same text gives the same tables."""
    lark = Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        maybe_placeholders=False,
        postlex=EveryWordIsLexed(),
        cache=False,
    )
    parser: Any = lark.parser  # what it is made of has no annotations
    table, contextual = parser.parser.parser.parse_table, parser.lexer.lexer
    states, rules, order = _numbered(table.states, table.start_states["start"])
    patterns = {terminal.name: terminal.pattern for terminal in lark.terminals}
    lexicons: dict[str, int] = {}
    lexicon_of = [lexicons.setdefault(_lexicon(contextual.lexers[state]), len(lexicons)) for state in order]
    every_terminal = lexicons.setdefault(_lexicon(contextual.root_lexer), len(lexicons))
    return {
        "grammar": hash_bytes(grammar.encode()),
        "literals": {name: pattern.value for name, pattern in patterns.items() if isinstance(pattern, PatternStr)},
        "patterns": {name: pattern.to_regexp() for name, pattern in patterns.items()},
        "ignored": sorted(lark.ignore_tokens),
        "rules": [_rule(rule) for rule in rules],
        "states": states,
        "end": order.index(table.end_states["start"]),
        "lexicons": [json.loads(lexicon) for lexicon in lexicons],
        "lexicon_of": lexicon_of,
        "every_terminal": every_terminal,
    }


def _numbered(
    states: Mapping[int, Mapping[str, tuple[Any, Any]]], start: int
) -> tuple[list[dict[str, int]], list[Rule], list[int]]:
    """The states from `start` on, the rules they reduce by, and the library's numbers of the states.

    Both are numbered as they are met, since the library's own numbers differ from run to run. In a state, a
    number of at least 0 is the state to go on with; one below 0 is minus one minus the rule to reduce by.
    """
    order, numbers, rules = [start], {start: 0}, dict[Rule, int]()
    rows = []
    for state in order:
        row = {}
        for symbol, (action, argument) in sorted(states[state].items()):
            if action is Shift:
                if argument not in numbers:
                    numbers[argument] = len(order)
                    order.append(argument)
                row[symbol] = numbers[argument]
            else:
                row[symbol] = -1 - rules.setdefault(argument, len(rules))
        rows.append(row)
    return rows, [*rules], order


def _rule(rule: Rule) -> list[str | None]:
    """What the rule reduces to, the name of its tree if it has one, and what becomes of each of its symbols."""
    inlined = rule.origin.name.startswith("_")
    name = rule.alias or rule.options.template_source or rule.origin.name
    fates = (_fate(symbol, rule.options.keep_all_tokens) for symbol in rule.expansion)
    return [rule.origin.name, None if inlined else str(name), "".join(fates)]


def _fate(symbol: Symbol, keep_all: bool) -> str:
    return DROP if isinstance(symbol, Terminal) and symbol.filter_out and not keep_all else KEEP


def _lexicon(lexer: Any) -> str:
    """The terminals that may come, in the order in which they are tried, and the words that are no plain names."""
    scanner = lexer.scanner
    words = {
        retyped: {each.pattern.value: each.name for each in callback.scanner.terminals}
        for retyped, callback in lexer.callback.items()
    }
    tried = [each.name for each in scanner.terminals if each.name not in lexer.ignore_types]
    return json.dumps({"tried": tried, "words": words}, sort_keys=True)


def tables_text(tables: JsonObject) -> str:
    """The file of `tables`: a state or a rule a line, so that a changed grammar shows as changed lines."""
    members = ",\n".join(f"{json.dumps(name)}: {_on_lines(tables[name])}" for name in sorted(tables))
    return f"{{\n{members}\n}}\n"


def _on_lines(value: Json) -> str:
    match value:
        case [dict() | list(), *_]:
            return "[\n" + ",\n".join(json.dumps(each, sort_keys=True) for each in value) + "\n]"
        case _:
            return json.dumps(value, sort_keys=True)


def _write() -> None:
    text = tables_text(tables_of(akm_grammar.read()))
    akm_grammar.TABLES_FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _write()
