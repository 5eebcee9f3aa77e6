"""The canonical layout, shown: each text beside what it becomes."""

import pytest

from akmc.diagnostic import CompileFailed
from akmc.fmt import formatted
from akmc.fmt.columns import ARROWED, STATES
from akmc.source import Source, SourceUnreadable
from akmc.textmate import keywords


def laid_out(text: str) -> str:
    return formatted(Source("a.akm", text))


def step(clauses: str, kind: str = "agent") -> str:
    return f'workflow w "t" {{\n  step a: {kind} b {{\n{clauses}  }}\n}}\n'


CANONICAL = [
    pytest.param(
        """\
# The tools.

tool upload {  # once a release
  argv ["./upload.sh"]        # found beside this file
  effect external_idempotent  # the index refuses a second one

  # names only
  env [INDEX_TOKEN]
  # the last word
}

agent coder { tool model, model "deep" }
group leads [alice, bob]
# the end
""",
        id="a registry",
    ),
    pytest.param(
        """\
lifecycle door "A door and its lock" {
  initial closed  "shut, not locked"
  state   locked  "shut and locked"
  final   removed, lost

  lock:   closed -> locked
  unlock: locked -> closed
  remove: closed, locked -> removed
}
""",
        id="a lifecycle in columns",
    ),
    pytest.param(
        """\
workflow ship "Ship it" {
  param version: string matching "^[0-9]+$" max 20
  param target:  one of ["linux", "macos"] = "linux"

  limits { transitions 12, duration 2h, cost 5 USD }

  step test: gate tests {
    attempts 2
    on passed         -> fix max 2
    on quorum_not_met -> failed

    on x -> completed
  }

  step fix: agent coder {
    prompt \"\"\"
      Mend it.

        Say how.
    \"\"\"
    reads [test.output.files[0], params.version]
    output { summary: string max 500, more?: list max 3 of int 1..3 }
  }
}
""",
        id="a workflow",
    ),
]


@pytest.mark.parametrize("text", CANONICAL)
def test_what_is_canonical_stays_as_it_is(text: str) -> None:
    assert laid_out(text) == text


def test_blanks_tabs_line_ends_and_blank_lines_are_made_even() -> None:
    text = '\ufeff\n\nlifecycle  a\t"t"{\n\n\n initial   b\n\n\n\tfinal c , d\n go :b->c\n\n}\n\n'.replace(
        "\n", "\r\n"
    )
    assert laid_out(text) == 'lifecycle a "t" {\n  initial b\n\n  final c, d\n  go: b -> c\n}\n'


def test_commas_go_where_clauses_get_lines_of_their_own() -> None:
    assert laid_out(step("attempts 2, timeout 5m,\n on passed -> completed,\n")) == step(
        "    attempts 2\n    timeout 5m\n    on passed -> completed\n"
    )


def test_a_comma_inside_a_clause_stays() -> None:
    canonical = step("    retry 1 on timeout, lost\n    on passed -> completed\n")
    assert laid_out(canonical.replace(", ", " ,  ")) == canonical


def test_the_block_of_a_document_is_always_broken() -> None:
    text = 'lifecycle a "t" { initial b, final c, go: b -> c }'
    assert laid_out(text) == 'lifecycle a "t" {\n  initial b\n  final   c\n  go: b -> c\n}\n'


def test_a_block_stays_on_its_line_when_it_fits_and_is_broken_when_not() -> None:
    short = step('    with { a: { b: [1, 2] }, "c": null }\n', "exec")
    assert laid_out(short) == short
    name = 90 * "n"
    assert laid_out(step(f"    with {{ a: 1, b: {{ c: {name} }} }}\n", "exec")) == step(
        f"    with {{\n      a: 1\n      b: {{\n        c: {name}\n      }}\n    }}\n", "exec"
    )


def test_a_long_list_has_an_item_a_line() -> None:
    items = [f'"{letter * 30}"' for letter in "abc"]
    lines = "".join(f"  {item}\n" for item in items)
    assert (
        laid_out(f"tool t {{\nargv [{', '.join(items)}]\n}}")
        == "tool t {\n  argv [\n" + lines.replace("  ", "    ") + "  ]\n}\n"
    )


def test_of_two_blocks_in_a_clause_only_the_one_that_does_not_fit_is_broken() -> None:
    text = f'param p: {{ a: string }} = {{ a: "{90 * "x"}" }}'
    assert laid_out(f'workflow w "t" {{\n{text}\n}}') == (
        f'workflow w "t" {{\n  param p: {{ a: string }} = {{\n    a: "{90 * "x"}"\n  }}\n}}\n'
    )


def test_an_empty_block_is_closed_on_its_line_unless_a_comment_stands_in_it() -> None:
    assert laid_out("tool t {\n\n}") == "tool t {}\n"
    assert laid_out("tool t { # why\n}") == "tool t {  # why\n}\n"
    assert laid_out("tool t {\n# why\n\n}") == "tool t {\n  # why\n}\n"


def test_columns_are_left_alone_where_one_line_would_move_the_others_too_far() -> None:
    name = 60 * "n"
    canonical = step(f"    on a -> completed\n    on {name} -> completed\n")
    assert laid_out(canonical) == canonical


def test_what_is_aligned_begins_with_words_of_the_grammar() -> None:
    assert {kind.lower() for kind in (*ARROWED, *STATES)} <= set(keywords())


def test_remarks_behind_neighbouring_lines_are_aligned() -> None:
    text = 'tool t {\n  argv ["a"] # one\n  effect unknown # two\n\n  timeout 5m # three\n}\n'
    assert laid_out(text) == (
        'tool t {\n  argv ["a"]      # one\n  effect unknown  # two\n\n  timeout 5m  # three\n}\n'
    )


def test_a_text_moves_with_its_block_and_keeps_its_own_indentation() -> None:
    text = step('prompt """  \n \tone\n \t\ttwo\n\n   \n\t  """\n')
    assert laid_out(text) == step('    prompt """\n      one\n      \ttwo\n\n\n    """\n')


def test_a_text_without_a_line_end_at_its_end_gets_none() -> None:
    assert laid_out(step('prompt """\n  one\n  two"""\n')) == step('    prompt """\n      one\n      two"""\n')
    assert laid_out(step('prompt """one"""\n')) == step('    prompt """one"""\n')


def test_a_text_whose_layout_would_be_too_large_to_be_read_has_none() -> None:
    depth = 40
    nested = "{ a: " * depth + "[" + "0, " * 12_000 + "]" + " }" * depth
    with pytest.raises(SourceUnreadable, match="in canonical layout it is larger"):
        laid_out(step(f"with {nested}\n", "exec"))


def test_a_text_with_a_syntax_error_has_no_layout() -> None:
    with pytest.raises(CompileFailed):
        laid_out('workflow w "t" {\n  step a exec {\n}\n')
