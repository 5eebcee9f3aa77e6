"""A finding looks the same wherever it comes from: place, underlined line, help."""

import pytest

from akmc.diagnostic import CompileFailed, Diagnostic, in_order
from akmc.reports.json import to_json
from akmc.reports.text import SHOWN_COLUMNS_MAX, to_text
from akmc.source import Source, Span


def finding(text: str, marked: str, code: str = "AKM0001", advice: str = "write `b`") -> Diagnostic:
    start = text.index(marked)
    span = Span(start, start + len(marked))
    return Diagnostic(code, "error", "expected `b`", advice, Source("dir/a.akm", text), span)


def test_the_text_form_underlines_the_span() -> None:
    assert to_text(finding("a\n  stp x\n", "stp")) == "\n".join(
        [
            "dir/a.akm:2:3: error AKM0001: expected `b`",
            "  2 |   stp x",
            "    |   ^^^",
            "  help: write `b`",
        ]
    )


def test_a_tab_is_one_column_in_the_line_and_under_it() -> None:
    line, marks = to_text(finding("\tstp\tx", "x")).splitlines()[1:3]
    assert line.index("x") == marks.index("^")


def test_wide_and_combining_characters_do_not_shift_the_marks() -> None:
    marks = to_text(finding("字e\u0301 stp", "stp")).splitlines()[2]
    assert marks == "    | " + " " * 4 + "^^^"


def test_characters_that_join_into_one_do_not_shift_the_marks() -> None:
    family, flag, thumb = (
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f1e9\U0001f1ea",
        "\U0001f44d\U0001f3fd",
    )
    line, marks = to_text(finding(f"{family}{flag}{thumb} stp", "stp")).splitlines()[1:3]
    assert family in line
    assert marks == "    | " + " " * 7 + "^^^"


def test_the_end_of_a_line_and_of_a_file_get_one_mark() -> None:
    for text, offset in {"ab\ncd": 2, "ab": 2, "": 0}.items():
        found = Diagnostic("AKM0001", "error", "m", "", Source("a", text), Span(offset, offset))
        assert to_text(found).splitlines()[-1] == "    | " + " " * offset + "^"


def test_a_span_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert to_text(finding("ab {\n}\n", "{\n}")).splitlines()[2] == "    |    ^"


def test_a_long_line_is_cut_around_the_span() -> None:
    line, marks = to_text(finding("x" * 5_000 + "STP" + "y" * 5_000, "STP")).splitlines()[1:3]
    assert len(line) == len("  1 | ") + SHOWN_COLUMNS_MAX
    assert marks.index("^^^") == line.index("STP")


def test_nothing_from_a_source_can_control_a_terminal() -> None:
    found = finding("\x1b[31mstp \x07", "stp")
    assert "\x1b" not in to_text(found)
    assert "\x07" not in to_text(found)
    assert to_text(found, colour=True).startswith("\x1b[2mdir/a.akm:1:6: \x1b[0m\x1b[31merror AKM0001: ")


def test_no_help_is_no_line() -> None:
    assert "help" not in to_text(finding("stp", "stp", advice=""))


def test_the_json_form_has_both_ends() -> None:
    assert to_json(finding("a\nstp x", "stp")) == {
        "code": "AKM0001",
        "severity": "error",
        "message": "expected `b`",
        "help": "write `b`",
        "file": "dir/a.akm",
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 4,
    }


def test_findings_stand_in_the_order_of_the_text_and_once() -> None:
    later, earlier = finding("a b c", "c"), finding("a b c", "a", code="AKM0002")
    assert in_order([later, earlier, later]) == (earlier, later)
    assert CompileFailed([later, earlier]).diagnostics == (earlier, later)


def test_a_failure_without_findings_is_our_fault() -> None:
    with pytest.raises(AssertionError):
        CompileFailed([])
