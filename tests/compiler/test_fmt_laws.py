"""What holds for the layout of any source: stable, the same meaning, every comment kept.

The sources are grown from the grammar itself, so that a construct of the language cannot be forgotten here.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from lark import Lark
from lark.grammar import NonTerminal, Rule, Symbol
from lark.lexer import PatternStr

import akm_grammar
from akmc.diagnostic import CompileFailed
from akmc.fmt import formatted
from akmc.fmt.meaning import says_the_same
from akmc.lifecycle import freeze_lifecycle
from akmc.lower_registry import lower_registry
from akmc.parse import parse, parse_with_words
from akmc.pipeline import compile_workflow
from akmc.rules import all_rules
from akmc.source import Source
from akmc.syntax import Parsed

WORDS = {
    "NAME": ["a", "gate", "a-b", "Long_name_9", "n" * 30],
    "STRING": ['""', r'e"a\n"', '"a, b"', '"{ [ # "', r'"\"\\"', '"漢字 \u2028"', '"' + 70 * "x" + '"'],
    "TEXT": [
        '""""""',
        '"""a"""',
        '"""\n  a\n    b\n\n  """',
        '"""a\n\tb"""',
        '"""\n\n"""',
        '"""# no\n , }\n   """',
    ],
    "SPAN": ["10m", "1h30m"],
    "SIZE": ["8MiB"],
    "MONEY": ["5 USD", "0.50 \t USD"],
    "INTEGER": ["0", "-3", "12"],
    "NUMBER": ["1.5", "2e3"],
    "INDEX": ["[0]", "[12]"],
}
LIFECYCLES = Path(str(files("akm_specs"))) / "lifecycles"
COMMENTS = [
    "#",
    "# plain",
    "#tight",
    "# a, b -> c",
    '# "not closed',
    '# """',
    "# } ] {",
    "# 漢字 😀",
    "#\tx\u2028y \t",
]
BLANKS = ["", " ", "  ", "\t", " \t "]

quickly = settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class Growth:
    """Grows texts from the rules of the grammar, with blanks, line ends and comments wherever they may stand."""

    def __init__(self) -> None:
        language = Lark(akm_grammar.read(), parser="lalr", maybe_placeholders=False)
        self._rules: dict[str, list[Rule]] = {}
        for rule in language.rules:
            self._rules.setdefault(rule.origin.name, []).append(rule)
        self._keywords = {
            terminal.name: terminal.pattern.value
            for terminal in language.terminals
            if isinstance(terminal.pattern, PatternStr)
        }
        self._sizes = self._smallest()

    def _smallest(self) -> dict[str, int]:
        """The least depth at which each rule can end."""
        sizes: dict[str, int] = {}
        for _ in self._rules:
            for name, rules in self._rules.items():
                ends = [
                    1 + max([sizes[symbol.name] for symbol in rule.expansion if _is_rule(symbol)], default=0)
                    for rule in rules
                    if all(symbol.name in sizes for symbol in rule.expansion if _is_rule(symbol))
                ]
                if ends:
                    sizes[name] = min(ends)
        return sizes

    def text(self, kind: str, random: Random) -> str:
        """One document of a kind."""
        words = self._grow(kind, random, depth=random.randint(8, 24))
        return "".join(self._spelled(word, random) for word in [*words, "_NEWLINE"])

    def _grow(self, name: str, random: Random, depth: int) -> Iterator[str]:
        rules = self._rules[name]
        possible = [rule for rule in rules if self._needs(rule) < depth]
        rule = random.choice(possible or [min(rules, key=self._needs)])
        for symbol in rule.expansion:
            if _is_rule(symbol):
                yield from self._grow(symbol.name, random, depth - 1)
            else:
                yield symbol.name

    def _needs(self, rule: Rule) -> int:
        return max([self._sizes[symbol.name] for symbol in rule.expansion if _is_rule(symbol)], default=0)

    def _spelled(self, terminal: str, random: Random) -> str:
        if terminal == "_NEWLINE":
            return random.choice(BLANKS) + line_ends(random)
        if terminal == "_COMMA":
            return "," + random.choice([" ", line_ends(random)])
        if terminal == "_AND":
            return ", "
        word = self._keywords.get(terminal) or random.choice(WORDS[terminal])
        return random.choice(["", " ", "\t"] if word in ("{", "[", "}", "]") else [" ", "  "]) + word


def _is_rule(symbol: Symbol) -> bool:
    return isinstance(symbol, NonTerminal)


def line_ends(random: Random) -> str:
    """One line end or several, with comments behind and between them."""
    remark = random.choice(["", "", " " + random.choice(COMMENTS)])
    lines = [random.choice(BLANKS) + random.choice(["", *COMMENTS]) for _ in range(random.choice([0, 0, 1, 3]))]
    return "\n".join([remark, *lines]) + "\n"


@cache
def growth() -> Growth:
    return Growth()


@st.composite
def sources(draw: st.DrawFn) -> Source:
    """A source of any kind without a syntax error."""
    random = draw(st.randoms(use_true_random=False))
    text = growth().text(draw(st.sampled_from(["lifecycle", "registry", "workflow"])), random)
    before = draw(st.sampled_from(["", "\n", "# first\n", " \t# a\n\n\n#b\n"]))
    after = draw(st.sampled_from(["", "# last", "\n\n  # last\t\n\n"]))
    source = Source("grown.akm", before + text + after)
    try:
        parse(source)
    except CompileFailed:  # what is grown may be ambiguous to a reader who looks one word ahead
        assume(False)
    return source


def comments(source: Source) -> list[str]:
    """Every comment of a source, in order: what is left between its words."""
    _, words = parse_with_words(source)
    ends = [0, *(word.span.end for word in words)]
    starts = [*(word.span.start for word in words), len(source.text)]
    gaps = [source.text[end:start] for end, start in zip(ends, starts, strict=True)]
    return [found.strip(" \t") for gap in gaps for found in re.findall(r"#[^\n]*", gap)]


def again(text: str) -> str:
    return formatted(Source("grown.akm", text))


@pytest.fixture(autouse=True, scope="module")
def grammar_is_loaded() -> None:
    growth()
    parse(Source("a.akm", 'lifecycle a "t" { initial b, final c, go: b -> c }'))


@quickly
@given(sources())
def test_a_second_time_changes_nothing(source: Source) -> None:
    once = formatted(source)
    assert again(once) == once


@quickly
@given(sources())
def test_every_comment_is_kept_in_order(source: Source) -> None:
    assert comments(Source("grown.akm", formatted(source))) == comments(source)


@quickly
@given(sources())
def test_the_tree_says_the_same(source: Source) -> None:
    assert says_the_same(parse(source).tree, parse(Source("grown.akm", formatted(source))).tree)


@quickly
@given(sources(), st.sampled_from(["\r\n", "\r"]), st.sampled_from(["", "\ufeff"]))
def test_line_ends_of_other_systems_and_a_mark_change_nothing(source: Source, line_end: str, mark: str) -> None:
    foreign = mark + source.text.replace("\n", line_end)
    assert again(foreign) == formatted(source)


@quickly
@given(sources())
def test_lines_are_tidy(source: Source) -> None:
    text = formatted(source)
    assert text.endswith("\n")
    assert not text.startswith("\n")
    outside = re.sub(r'"""([^"]|"(?!""))*"""|"([^"\\\n]|\\[^\n])*"|#[^\n]*', "...", text)
    assert "\t" not in outside
    assert "\n\n\n" not in outside
    assert not re.search(r" \n|\{\n\n|\n\n *[}\]]", outside)


def test_what_is_grown_holds_every_rule_of_the_grammar() -> None:
    """The laws above say little about constructs that never come up."""
    left = set(re.findall(r"^!?([a-z][a-z_]*):", akm_grammar.read(), flags=re.MULTILINE)) - {"start"}
    for seed in range(20_000):
        kind = ("lifecycle", "registry", "workflow", "workflow", "workflow")[seed % 5]
        with suppress(CompileFailed):
            left -= rules_in(parse(Source("grown.akm", growth().text(kind, Random(seed)))))
        if not left:
            return
    assert not left


def rules_in(parsed: Parsed) -> set[str]:
    pending, found = [parsed.tree], set()
    while pending:
        tree = pending.pop()
        found.add(tree.rule)
        pending += tree.trees()
    return found


def frozen(source: Source, registry: str | None) -> object:
    parsed = parse(source)
    match parsed.kind:
        case "lifecycle":
            return freeze_lifecycle(parsed)
        case "registry":
            return lower_registry(parsed).document
        case "workflow":
            beside = str(Path(source.path).with_name("registry.akm"))
            return compile_workflow(source, None if registry is None else Source(beside, registry)).data


def disturbed(text: str, random: Random) -> str:
    """`text` with other blanks, line ends and comments between its words."""
    _, words = parse_with_words(Source("a.akm", text))
    parts = [text[: words[0].span.start]]
    for word, after in zip(words, [*words[1:], None], strict=True):
        gap = text[word.span.end : len(text) if after is None else after.span.start]
        if "\n" in gap or "," in gap or word.text in ("{", "["):
            gap = line_ends(random)
        elif gap or word.text not in (".", ".."):
            gap += random.choice(BLANKS)
        parts += [word.text, gap]
    return "".join(parts)


RULES = [rule for rule in all_rules() if rule.language == "akm"]
TABLES = [path.read_text("utf-8") for path in sorted(LIFECYCLES.iterdir()) if path.suffix == ".akm"]
#: Texts that compile, each with the registry and the child that it is compiled beside.
EXAMPLES = [
    *((rule.right, rule.registry, rule.child) for rule in RULES),
    *((table, None, None) for table in TABLES),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("laws")


@quickly
@given(st.sampled_from(EXAMPLES), st.randoms(use_true_random=False))
def test_plans_tables_and_registries_stay_the_same(
    folder: Path, example: tuple[str, str | None, str | None], random: Random
) -> None:
    text, beside, child = example
    (folder / "child.akm").write_text(child or "", encoding="utf-8")
    path = str(folder / "example.akm")
    source = Source(path, disturbed(text, random))
    registry = None if beside is None else disturbed(beside, random)
    laid_out = None if registry is None else again(registry)
    expected = frozen(Source(path, text), beside)
    assert frozen(source, registry) == expected
    assert frozen(Source(path, formatted(source)), laid_out) == expected


@quickly
@given(
    st.text(st.characters(exclude_characters='"\r\0', exclude_categories=["Cs"]), max_size=60),
    st.sampled_from(BLANKS),
    st.booleans(),
)
@example("\n  a\n\n b", "\t", True)
@example("a\n\n", "  ", False)
@example("\x0c\n \x1c\n", " ", True)
def test_a_text_in_triple_quotes_says_what_it_said(text: str, margin: str, own_lines: bool) -> None:
    body = f"\n{margin}{text}\n{margin}" if own_lines else text
    source = Source("a.akm", f'workflow w "t" {{\n step a: agent b {{\n\t prompt """{body}"""\n }}\n}}')
    once = formatted(source)
    assert says_the_same(parse(source).tree, parse(Source("a.akm", once)).tree)
    assert again(once) == once
