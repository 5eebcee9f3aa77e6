"""The language as it is written: what it takes, and what it says about what it does not take."""

import logging
import re
import time
from collections.abc import Callable

import lark
import pytest

import akm_grammar
from akmc.careful import FINDINGS_MAX, NESTING_MAX, WORDS_MAX
from akmc.diagnostic import CompileFailed
from akmc.document_parts import document_begun_by
from akmc.parse import parse, parse_with_words
from akmc.source import Source
from akmc.syntax import Parsed, Tree

#: Between them these use every rule of the grammar.
LIFECYCLE = """
lifecycle door "A door" {
  initial open "one can walk through"
  state   final
  state   shut      # a state may have no meaning, and any name
  final   gone, burnt

  shut: open, final -> shut, open: shut -> final
  state: open, shut, final -> gone
  burn: open -> burnt
}
"""
REGISTRY = """
# what there is
tool pytest {
  argv ["python", "-m", "pytest",
        "-q"]  # a list may span lines
  effect receipt_queryable, receipt ["./ask.sh"], timeout 1h30m
  env [PYPI_TOKEN, "_OTHER"]
  directory "package"
  output_max 8MiB
}

tool hosted { python "slugs.tools:mend", session, reject 75 -> rate_limited }
tool later { reserved }
agent coder {
  tool claude, model "deep", provider "anthropic"
  scope { read [api], write [web], preset writer, allow [edit], deny [shell], secrets [token, "npm/token"] }
}
group managers [alice, bob]
repository api { directory "api", remote "../api.git" }
defaults { agent coder, judge coder }
"""
WORKFLOW = '''
workflow everything "All there is" {
  param version: string matching "^\\d+$" max 20
  param count: int -1..10 = 3
  param any: int
  param ratio: number = 1.5e-3
  param flag: boolean = true
  param colour: one of ["red", "green"] = "red"
  param targets: list max 5 of string max 9 = ["linux", "macos"]
  param nested: { a: list of { b?: file } } = { a: [ { "b": null } ] }
  limits { transitions 12, duration 2h, units 40, tokens 1000, cost 0.50 USD, agent_time 1h }

  step gate: gate pytest {
    attempts 3, timeout 10m, expect fail, with { a: -1 }, on passed -> there, on failed -> fix max 3
  }
  step there: gate artifacts_exist ["a.whl", "b.whl"] { on passed -> shape }
  step shape: gate schema gate.output.list[0] is { a: int } { on passed -> exec }
  step fix: agent coder {
    prompt """
      Mend it.
        Leave "this" alone.
    """
    reads [gate.output, params.version]
    output { summary: string }
    on passed -> gate max 2
  }
  step exec: exec build {
    with { version: params.version, more: [1, true, false, null, "x", params.targets[0], { k: exec.output }] }
    retry 1 on timeout, spawn_failed, recover 2
    exit 3 -> odd
    evidence wheel: artifact { min 1, by [a, b], producers 2, degraded 1, reusable, pin }
    requires pin plan, oracle
    isolation worktree, scope { read [api] }
    skip when params.flag is false
    gate { judge critic, rubric "whole?", max_loops 2 }
    on passed -> sign, on odd -> failed
  }
  step sign: approval { by [alice, managers], reads exec.output, timeout 1d, on passed -> pause }
  step pause: wait 500ms { on passed -> ready }
  step ready: wait signal go { timeout 1h, output string, on passed -> route }
  step route: route params.colour {
    when "red" -> completed, when 3 -> gate max 1, when true -> failed, otherwise -> failed
  }
  step review: panel {
    assign 2..3 of [a, b, c] { maximum 4, parallel 3, attempts 2, distinct provider, model }
    join quorum 2 then cancel
    safe to speculate
    output { note: any, more: json { "type": "array" } }
    on passed -> each
  }
  step each: map target in params.targets {
    run tool build, parallel 2, items 10, tolerate 1, reduce vote, with { target: target }
    on passed -> all
  }
  step all: map one in each.output { run agent coder, prompt "Look.", on passed -> weigh }
  step weigh: judge critic { of all.output, rubric "Is it whole?", on passed -> sub }
  step sub: workflow "child.akm" { with { version: params.version }, on completed -> ship }
  step ship: deliver [api, web] { with { api: exec.output.commit }, remediate 1, on passed -> completed }

  require gate before exec
  require exec at most 2
  require gate reaches completed only through sign
  never gate after ship
}
'''


APPROVAL_CLAUSES = "`attempts`, `by`, `evidence`, `gate`, `on`, `reads`, `requires`, `skip` or `timeout`"
#: What stands for itself wherever a value may stand, and so cannot begin a reference.
CONSTANTS = {"true", "false", "null"}


def read(text: str) -> Parsed:
    return parse(Source("a.akm", text))


def findings(text: str) -> list[tuple[str, str, int, int]]:
    """Code, message, line and column of each finding."""
    with pytest.raises(CompileFailed) as refused:
        read(text)
    return [
        (found.code, found.message, *_place(found.source, found.span.start)) for found in refused.value.diagnostics
    ]


def _place(source: Source, offset: int) -> tuple[int, int]:
    position = source.position(offset)
    return position.line, position.column


def help_of(text: str) -> str:
    with pytest.raises(CompileFailed) as refused:
        read(text)
    return refused.value.diagnostics[0].help


def in_workflow(body: str) -> str:
    return f'workflow w "t" {{\n{body}\n}}\n'


def in_step(body: str) -> str:
    return in_workflow(f"step a: exec t {{\n{body}\n}}")


def rules_of(tree: Tree) -> set[str]:
    return {tree.rule}.union(*(rules_of(child) for child in tree.trees()))


# What it takes


def test_each_kind_of_document_is_read() -> None:
    assert [read(text).kind for text in (LIFECYCLE, REGISTRY, WORKFLOW)] == ["lifecycle", "registry", "workflow"]


def test_every_rule_of_the_grammar_is_in_use() -> None:
    used = set().union(*(rules_of(read(text).tree) for text in (LIFECYCLE, REGISTRY, WORKFLOW)))
    written = set(re.findall(r"^([a-z]\w*):", akm_grammar.read(), re.MULTILINE)) - {"start"}
    assert written == used


def test_the_grammar_has_one_reading_of_every_text() -> None:
    messages: list[str] = []
    handler = logging.Handler(logging.DEBUG)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]  # only listens
    level = lark.logger.level
    lark.logger.addHandler(handler)
    lark.logger.setLevel(logging.DEBUG)
    try:
        lark.Lark(akm_grammar.read(), parser="lalr", debug=True)
    finally:
        lark.logger.setLevel(level)
        lark.logger.removeHandler(handler)
    assert not [message for message in messages if "conflict" in message.lower()]


@pytest.mark.parametrize("keyword", sorted({*re.findall(r'"([a-z_]+)"', akm_grammar.read())} - CONSTANTS))
def test_a_step_and_a_state_may_have_the_name_of_any_keyword(keyword: str) -> None:
    clauses = f"on {keyword} -> {keyword}, with {{ {keyword}: {keyword}.output }}"
    read(in_workflow(f"step {keyword}: exec {keyword} {{ {clauses} }}"))
    read(f'lifecycle {keyword} "t" {{ initial {keyword}, final a, {keyword}: {keyword} -> a }}')


def test_layout_changes_nothing_but_places() -> None:
    wide = read(in_step("on passed -> b\n\n\n  # more\n  with {\n a: [\n1,\n2,\n]\n}"))
    tight = read('workflow w "t" { step a: exec t { on passed -> b, with { a: [1, 2] } } }')
    assert shape(wide.tree) == shape(tight.tree)


def shape(tree: Tree) -> object:
    return tree.rule, [shape(child) if isinstance(child, Tree) else child.text for child in tree.children]


@pytest.mark.parametrize("text", [REGISTRY, WORKFLOW])
def test_every_part_of_a_document_is_known_by_how_it_begins(text: str) -> None:
    """Reading goes on there after a bracket that was never closed."""
    parsed = read(text)
    for part in parsed.tree.trees():
        assert document_begun_by(parsed.source.text, part.span.start) == parsed.kind, part


def test_a_comma_before_a_lone_name_goes_on_with_a_list() -> None:
    rules = [tree.rule for tree in read('lifecycle a "t" { initial x, final y, z, go: x -> y }').tree.trees()]
    assert rules == ["initial", "final", "move"]


def test_a_hyphen_belongs_to_a_name_but_an_arrow_does_not() -> None:
    read('lifecycle a "t" { initial x-1, final y, go:x-1->y }')


def test_a_span_covers_its_clause_from_the_keyword_on() -> None:
    parsed = read(in_step("  timeout 10m"))
    (step,) = parsed.tree.trees()
    (kind,) = step.trees()
    (clause,) = kind.trees()
    assert parsed.source.text[clause.span.start : clause.span.end] == "timeout 10m"


# What it says about what it does not take


def test_several_errors_are_found_in_one_run() -> None:
    text = in_workflow(
        """  param v string
  step a: exce t {
    attemps 3
    timeout soon
    on passed ->
    on failed -> b
  }
  step b: approval {
    exit 3 -> c
    by alice
    on passed => completed
  }"""
    )
    assert findings(text) == [
        ("AKM0001", "expected `:`, found `string`", 2, 11),
        ("AKM0001", "`exce` cannot stand here", 3, 11),
        ("AKM0001", "`attemps` cannot stand here", 4, 5),
        ("AKM0001", "expected a time span such as `10m`, found `soon`", 5, 13),
        ("AKM0001", "expected a target, found the end of the line", 6, 17),
        ("AKM0001", "`exit` cannot stand here", 10, 5),
        ("AKM0001", "expected `->`, found `=`", 12, 15),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file holds no document"),
        ("# nothing\n\n", "the file holds no document"),
        ("workflow", "expected the workflow's name, found the end of the file"),
        ('workflow w "t" {} x', "expected the end of the file, found `x`"),
        (in_workflow("step : exec t {}"), "expected the step's name, found `:`"),
        (in_workflow("step a: exec {}"), "expected a tool's name, found `{`"),
        (in_workflow("param p: strin"), "expected a type, found `strin`"),
        (in_step("with { a: }"), "expected a value or a reference, found `}`"),
        (in_step("with { a: b[] }"), "expected `.`, an index such as `[0]` or the end of the clause, found `[`"),
        (in_step("attempts 2.5"), "expected a whole number, found `2.5`"),
        (in_step("attempts 007"), "expected a whole number, found `007`"),
        (in_step("attempts 10m"), "expected a whole number, found `10m`"),
        (in_step("retry 2 on 3"), "expected a reason such as `timeout`, found `3`"),
        (in_step("evidence wheel: 1"), "expected a kind of evidence, found `1`"),
        (in_workflow("limits { cost 5 }"), "expected an amount such as `5 USD`, found `5`"),
        (in_workflow("\u00a0"), "the character U+00A0 cannot stand here"),
        ('lifecycle x "t" { initial a, b: a -> }', "expected a state's name, found `}`"),
        ('tool t { argv "a" }', 'expected `[`, found `"a"`'),
        ("tool t { output_max 8 }", "expected a size such as `8MiB`, found `8`"),
    ],
)
def test_the_message_says_what_was_wanted_in_words_of_the_language(text: str, message: str) -> None:
    assert [found[1] for found in findings(text)] == [message]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("wrkflow w", "did you mean `workflow`?"),
        (in_step("timeuot 10m"), "did you mean `timeout`?"),
        (in_workflow("step a: exce t {}"), "did you mean `exec`?"),
        (in_step("with { a: 'x' }"), "a text stands in double quotes"),
        (in_step("with { a: \u201cx\u201d }"), 'a text stands in straight double quotes: "..."'),
        (in_step("attempts 3;"), "a clause ends at a newline or a comma"),
        (in_step("// why"), "`#` begins a comment"),
        (in_step("on passed => b"), "an arrow is written `->`"),
        (in_workflow("step a: approval { prompt 1 }"), "what can stand here: " + APPROVAL_CLAUSES),
    ],
)
def test_the_help_says_what_to_do(text: str, advice: str) -> None:
    assert help_of(text) == advice


def test_a_text_that_is_not_closed_costs_its_line_only() -> None:
    text = in_workflow('step a: exec t {\n with { a: "x }\n attemps 1\n }\n step b: exec t { tmeout 1m }')
    assert [(code, line) for code, _, line, _ in findings(text)] == [("AKM0002", 3), ("AKM0001", 4), ("AKM0001", 6)]


def test_a_text_block_that_is_not_closed_is_reported_where_it_opens() -> None:
    assert findings(in_step('prompt """\n and so on'))[0][0] == "AKM0001"
    text = in_workflow('step a: agent t {\n prompt """\n and so on\n}')
    assert [(code, line, column) for code, _, line, column in findings(text)] == [("AKM0002", 3, 9)]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (in_workflow("step a: exec t {\n on passed -> b"), "this `{` is never closed", 1),
        (in_workflow("step a: exec t {\n\nstep b: exec t {}"), "this `{` is not closed before `step` on line 4", 2),
        (in_workflow("step a: exec t { with { x: [1 } }"), "this `[` is not closed before `}` on line 2", 2),
        (
            in_workflow("step a: exec t { }}\nstep b: exec t { }"),
            "this `}` ends the block to which `step` on line 3 belongs",
            2,
        ),
        (in_workflow("step a: exec t { with { x: 1] } }"), "this `]` closes nothing", 2),
        ('tool a {\n argv ["x"]\n\ntool b { argv ["y"] }\n', "this `{` is not closed before `tool` on line 4", 1),
        ("defaults {\n agent a\n\ndefaults { }\n", "this `{` is not closed before `defaults` on line 4", 1),
        (in_workflow("step a: exec t {\n\nnever a after a"), "this `{` is not closed before `never` on line 4", 2),
        ("group g [a, b\n", "this `[` is never closed", 1),
    ],
)
def test_brackets_that_do_not_match_are_reported_once(text: str, message: str, line: int) -> None:
    assert [found[:3] for found in findings(text)] == [("AKM0003", message, line)]


@pytest.mark.parametrize(
    "nest",
    [
        lambda levels: in_step("with { a: " + "[" * levels + "]" * levels + " }"),
        lambda levels: in_workflow("param a: " + "list of " * levels + "int"),
        lambda levels: in_workflow("param a: " + "{ b: " * levels + "int" + " }" * levels),
        lambda levels: in_workflow("param a: " + "list of { b: " * (levels // 2) + "int" + " }" * (levels // 2)),
    ],
)
def test_nesting_is_bounded(nest: Callable[[int], str]) -> None:
    read(nest(NESTING_MAX - 4))
    for levels in (NESTING_MAX + 2, 20_000):
        assert [found[0] for found in findings(nest(levels))] == ["AKM0004"]


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        "[]" * 500_000,
        in_step("with { a: " + "[" * 500_000),
        in_step("x\n" * 300_000),
        in_step("}" * 500_000),
        in_step('"\n' * 300_000),
        in_step("with { a: " + "[],[" * 200_000),
        in_step("a" * 1_000_000),
        in_step('"' + "\\" * 1_000_000),
        "workflow w " + '"' * 999_999,
        " " * 1_000_000,
        "\n" * 1_000_000,
        in_step("x [" + "step a:, " * 100_000),
        in_step("step a:, " * 100_000),
    ],
    ids=range(14),
)
def test_a_huge_text_is_answered_quickly(text: str) -> None:
    read(in_step(""))  # so that loading the grammar is not measured
    started = time.process_time()
    with pytest.raises(CompileFailed) as refused:
        read(text)
    assert time.process_time() - started < 5
    assert len(refused.value.diagnostics) <= FINDINGS_MAX + 1


def test_reading_stops_after_many_errors_and_says_so() -> None:
    found = findings(in_step("nonsense 1\n" * (FINDINGS_MAX + 20)))
    assert len(found) == FINDINGS_MAX + 1
    assert found[-1][0] == "AKM0005"


def test_reading_stops_after_many_words_and_says_so() -> None:
    text = in_step("with { a: [" + "1, " * (WORDS_MAX // 2) + "] }")
    assert [found[0] for found in findings(text)] == ["AKM0005"]


def test_the_words_of_a_text_leave_out_only_what_parts_clauses_and_comments() -> None:
    text = 'lifecycle a "t" { # one\n  initial b, final c, d # two\n  go: b -> c,\n\n  to: b -> d\n}\n'
    parsed, words = parse_with_words(Source("a.akm", text))
    expected = 'lifecycle a "t" { initial b final c , d go : b -> c to : b -> d }'
    assert [word.text for word in words] == expected.split()
    assert all(text[word.span.start : word.span.end] == word.text for word in words)
    assert parsed.kind == "lifecycle"
