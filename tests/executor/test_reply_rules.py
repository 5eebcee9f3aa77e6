"""The declared result parser, rule by rule: what passes, and what must never."""

import json
import time
from pathlib import Path

import pytest

from akm.reply import (
    OPENERS_TRIED_MAX,
    OUTER_OPENERS_MAX,
    PARSED_BYTES_MAX,
    SLICE_BYTES_MAX,
    Reply,
    parse_reply,
)

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "replies.jsonl"
DECLARED = frozenset({"passed", "failed"})
PASSED = '{"outcome":"passed"}'


def outcome(text: str, declared: frozenset[str] = DECLARED) -> str:
    return parse_reply(text, declared).outcome or "outcome_unknown"


def code(text: str, declared: frozenset[str] = DECLARED) -> str | None:
    return parse_reply(text, declared).code


@pytest.mark.skipif(not CASES.exists(), reason="the collected replies are not here")
def test_collected_replies_are_read_as_expected() -> None:
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        assert outcome(case["reply"], frozenset(case["declared"])) == case["expect"], case["id"]


def test_a_declared_result_carries_its_object_and_no_code() -> None:
    assert parse_reply('{"outcome":"passed","n":[1,{}]}', DECLARED) == Reply(
        "passed", "outcome", value={"outcome": "passed", "n": [1, {}]}
    )
    assert outcome('{"outcome":"needs-work"}', frozenset({"needs-work"})) == "needs-work"


# rule 1: trimming


@pytest.mark.parametrize(
    "blank", list("\t\n\v\f\r \u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000\ufeff")
)
def test_what_ecmascript_trims_is_trimmed(blank: str) -> None:
    assert outcome(blank + PASSED + blank) == "passed"
    assert code(blank) == "empty_reply"


@pytest.mark.parametrize("mark", list("\x1c\x1d\x1e\x1f\x85\u180e\u200b\u2060\0"))
def test_what_only_looks_blank_is_not_trimmed(mark: str) -> None:
    assert outcome(PASSED + mark) == "failed"
    assert outcome(mark + PASSED) == "passed"


# rule 2: one closing fence


@pytest.mark.parametrize("fence", ["```", "~~~", "``````", "  ~~~~ \t", "```\r"])
def test_one_closing_fence_is_dropped(fence: str) -> None:
    assert outcome(f"```json\n{PASSED}\n\n{fence}\n") == "passed"
    assert code(fence) == "empty_reply"


@pytest.mark.parametrize(
    "ending", ["\n``", "\n```json", "\n```~~~", "```", "\n```\n```", "\n``` x", "\r```", "\n''' "]
)
def test_anything_else_after_the_object_is_prose(ending: str) -> None:
    assert code(PASSED + ending) == "prose_after_object"


# rule 3: the object ends the reply, within reach


def test_the_last_object_counts() -> None:
    assert outcome('{"outcome":"passed"} then {"outcome":"failed"}') == "failed"
    assert outcome('{"outcome":"failed"}\n{"outcome":"passed"}') == "passed"
    assert outcome('{"outcome":"failed","inner":{"outcome":"passed"}}') == "failed"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty_reply"),
        ("passed", "no_object"),
        ("outcome: passed", "no_object"),
        ('{"outcome":"passed"', "no_object"),
        (f"{PASSED}.", "prose_after_object"),
        (f"[{PASSED}]", "prose_after_object"),
        (f"<r>{PASSED}</r>", "prose_after_object"),
        ("}", "malformed_object"),
    ],
)
def test_a_reply_that_does_not_end_with_an_object_declares_nothing(text: str, expected: str) -> None:
    assert (outcome(text), code(text)) == ("failed", expected)


def test_openers_are_tried_up_to_the_limit_and_not_beyond() -> None:
    for braces, expected in ((OPENERS_TRIED_MAX - 1, "passed"), (OPENERS_TRIED_MAX, "failed")):
        assert outcome(f'{{"outcome":"passed","note":"{"{" * braces}"}}') == expected


def test_an_object_may_have_its_bytes_and_not_one_more() -> None:
    frame = len('{"outcome":"passed","a":""}')
    for letter, width in (("x", 1), ("é", 2), ("\U0001f600", 4)):
        count, rest = divmod(SLICE_BYTES_MAX - frame, width)
        assert outcome(f'{{"outcome":"passed","a":"{letter * count + "x" * rest}"}}') == "passed"
        assert code(f'{{"outcome":"passed","a":"{letter * count + "x" * (rest + 1)}"}}') == "object_too_large"


def test_all_parsing_together_is_bounded() -> None:
    length = SLICE_BYTES_MAX - 100  # so that four slices that parse as nothing use it up
    assert 4 * length < PARSED_BYTES_MAX < 5 * length
    for slices, expected in ((3, "passed"), (4, "failed")):
        assert outcome(f'{{"outcome":"passed","a":"{"{" * slices}{"x" * length}"}}') == expected


# rule 4: strict JSON of any depth


@pytest.mark.parametrize(
    "member",
    [
        '"a":NaN',
        '"a":Infinity',
        '"a":-Infinity',
        '"a":01',
        '"a":1.',
        '"a":.5',
        '"a":+1',
        '"a":0x1',
        '"a":1e',
        '"a":"\t"',
        '"a":"\n"',
        '"a":"\\x41"',
        '"a":"\\u12"',
        "\"a\":'b'",
        '"a":True',
        '"a":undefined',
        '"a":[1,]',
        '"a":[,1]',
        '"a":[1 2]',
        '"a" 1',
        '"a":1,',
        "a:1",
        '"a":1 // no',
        '"a":1 /* no */',
        '"a":{,}',
        '"a":[1}',
        ',"a":1',
        '"a":\u00a01',
        '"a":\u0661',
    ],
)
def test_what_is_not_strict_json_declares_nothing(member: str) -> None:
    assert outcome(f'{{"outcome":"passed",{member}}}') == "failed"


@pytest.mark.parametrize(
    "member",
    [
        '"a":-0.0e+10',
        '"a":1E400',
        '"a":' + "9" * 5000,
        '"a":"\\ud800"',
        '"a":"\\ud83d\\ude00\\/"',
        '"a":"\x7f\u2028"',
        '"":{}',
        '"a" : [ ]\r\n\t ',
        '"a":[[],{},[{"b":null}],true,false]',
    ],
)
def test_odd_but_strict_json_is_accepted(member: str) -> None:
    text = f'{{"outcome":"passed",{member}}}'
    found = parse_reply(text, DECLARED)
    assert found.outcome == "passed"
    if "999" not in member:
        assert found.value == json.loads(text)


def test_a_repeated_key_keeps_its_last_value_and_escapes_are_read() -> None:
    assert outcome('{"outcome":"passed","outcome":"failed"}') == "failed"
    assert outcome('{"\\u006futcome":"\\u0070assed"}') == "passed"


@pytest.mark.parametrize("levels", [800, 5_000, 100_000])
def test_depth_crashes_nothing(levels: int) -> None:
    assert outcome(f'{{"outcome":"passed","a":{"[" * levels}{"]" * levels}}}') == "passed"
    assert outcome(f'{{"outcome":"passed","a":{"[" * levels}{"]" * (levels - 1)}}}') == "failed"
    assert outcome('{"a":' * levels + PASSED + "}" * levels) == "failed"


# rule 5: no object that is the tail of a larger, truncated one


@pytest.mark.parametrize(
    "before",
    [
        '{"summary":"cut","detail":',
        '[{"a":1},',
        '{"a":"x"\n',
        '{ "}" \n',
        'He said "no.\n',
        'path "C:\\tmp\\" then\n',
        '"ends with a backslash \\',
        'See the "fix.\n{"outcome":"failed","d":',
        "{" * 60 + "\n",
        "[ unfinished list\n",
    ],
)
def test_an_object_after_something_unfinished_is_the_tail_of_a_cut_reply(before: str) -> None:
    assert code(before + PASSED) == "truncated_reply"


def test_a_stray_quote_does_not_hide_the_outer_object_that_was_cut() -> None:
    """The naive scan ends even here; only reading on from the outer brace shows that it never closes."""
    before = 'a 5" disk {"outcome":"failed","log":"say \\"hi","detail":'
    assert code(before + PASSED) == "truncated_reply"


def test_outer_openers_are_looked_at_up_to_the_limit() -> None:
    def reply(lists: int) -> str:
        return 'a 5" disk {"outcome":"failed","log":"say \\"hi",' + '"l":[],' * lists + '"detail":' + PASSED

    assert code(reply(OUTER_OPENERS_MAX - 1)) == "truncated_reply"
    assert outcome(reply(OUTER_OPENERS_MAX)) == "passed"


@pytest.mark.parametrize(
    "before",
    [
        "Ran the tests.\n",
        'He wrote "ship it" twice.\n',
        "}} ]] stray closers }\n",
        "[note] (done) <ok>\n",
        '{"a":1}}\n',
        '{"note":"see [1] and {"}\n',
        'Replaced "{" by "[" there.\n',
        "call f({x: [1, 2]}) ok: ",
        '{"step":1,"text":"a \\" quote"}\n',
    ],
)
def test_finished_things_before_the_object_do_no_harm(before: str) -> None:
    assert outcome(before + PASSED) == "passed"


# rules 6 and 7: a declared word, and what becomes of all else


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"Outcome":"passed"}', "outcome_missing"),
        ('{"result":{"outcome":"passed"}}', "outcome_missing"),
        ("{}", "outcome_missing"),
        ('{"outcome":["passed"]}', "outcome_not_text"),
        ('{"outcome":{"outcome":"passed"}}', "outcome_not_text"),
        ('{"outcome":null}', "outcome_not_text"),
        ('{"outcome":true}', "outcome_not_text"),
    ],
)
def test_an_object_without_an_outcome_word_settles_failed(text: str, expected: str) -> None:
    assert parse_reply(text, DECLARED) == Reply("failed", "outcome", code=expected)


@pytest.mark.parametrize(
    "word", ["Passed", " passed ", "pass", "outcome_unknown", "", "p\u0430ssed", "passed\\u0000"]
)
def test_an_undeclared_word_is_an_unknown_outcome_and_settles_failed(word: str) -> None:
    assert parse_reply(f'{{"outcome":"{word}"}}', DECLARED) == Reply(
        "failed", "outcome_unknown", code="undeclared_outcome"
    )


def test_without_a_declared_failed_nothing_stands_for_an_unusable_reply() -> None:
    declared = frozenset({"passed", "blocked"})
    assert parse_reply("no object", declared) == Reply(None, "outcome_unknown", code="no_object")
    for word in ("shipped", "failed"):
        found = parse_reply(f'{{"outcome":"{word}"}}', declared)
        assert found == Reply(None, "outcome_unknown", code="undeclared_outcome")
    assert outcome(PASSED, frozenset({"failed"})) == "failed"
    assert outcome(PASSED, frozenset()) == "outcome_unknown"


MIB = 1024 * 1024


@pytest.mark.parametrize(
    "text",
    [
        "{" * MIB + "}",
        "{}" * (MIB // 2),
        '"' * MIB + "}",
        '"' + "\\" * MIB + PASSED,
        '"[" ' * 16 + "[]," * (MIB // 3) + PASSED,
        '{"a":[' + "1," * 120_000 + "}" * 32,
        " " * MIB + PASSED + " " * MIB + "x",
        "\n" * MIB + "``",
        '{"outcome":"passed","n":"' + "{" * 31 + "\\u0041" * 40_000 + '"}',
        "1" * MIB + PASSED,
    ],
    ids=["openers", "pairs", "quotes", "backslashes", "outer", "tokens", "blanks", "lines", "slices", "digits"],
)
def test_hostile_replies_take_bounded_time(text: str) -> None:
    begun = time.monotonic()
    parse_reply(text, DECLARED)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(("inner", "declared"), [(31, True), (32, False)])
def test_the_object_is_looked_for_at_the_last_32_openers(inner: int, declared: bool) -> None:
    text = '{"outcome": "passed", "x": [' + ", ".join(["{}"] * inner) + "]}"
    assert (parse_reply(text, frozenset({"passed"})).value is not None) == declared


@pytest.mark.parametrize(("more", "code"), [(0, None), (5, "object_too_large")])
def test_all_that_is_tried_comes_to_a_mebibyte_at_most(more: int, code: str | None) -> None:
    """Five objects in one another, each of which is tried up to the end of the text."""
    outer = '{"outcome": "passed","k":'
    rest = 1024 * 1024 - 105 - len(outer)
    outer += " " * (rest % 5)
    text = outer + '{"k":' * 4 + '"' + "x" * (rest // 5 + more) + '"' + "}" * 5
    assert parse_reply(text, frozenset({"passed"})).code == code
