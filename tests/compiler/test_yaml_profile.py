"""The restricted profile of YAML: what is read, with its places, and what is refused at once."""

import time

import pytest
import yaml

from akm_specs.canonical import Json
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.source import Source, SourceUnreadable, Span
from akmc.yaml import read
from akmc.yaml.nodes import Mapping, Scalar, Sequence
from akmc.yaml.read import DEPTH_MAX, ENTRIES_MAX, FINDINGS_MAX, KEYS_MAX, NODES_MAX, as_it_was_given, read_yaml
from akmc.yaml.shape import core_number, plain

#: The longest that refusing a hostile text may take, in seconds of the processor.
AT_ONCE_S = 5.0


def value(text: str) -> Json:
    return plain(read_yaml(Source("absent/x.yaml", text)))


def found(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(CompileFailed) as failed:
        read_yaml(Source("absent/x.yaml", text))
    return failed.value.diagnostics


def placed(finding: Diagnostic) -> tuple[str, int, int]:
    place = finding.source.position(finding.span.start)
    return finding.code, place.line, place.column


@pytest.mark.parametrize(
    "text", ["no", "on", "y", "0777", "0o17", "10:30", "2020-01-01", "1_0", "~", "True", ".nan", "+1"]
)
def test_what_json_takes_for_no_value_stays_what_the_author_wrote(text: str) -> None:
    assert value(f"key: {text}\n") == {"key": text}


@pytest.mark.parametrize(
    ("text", "meant"),
    [("true", True), ("null", None), ("", None), ("12", 12), ("1.50", 1.5), ("6e4", 60000), ("-0", 0)],
)
def test_what_json_takes_for_a_value_is_one_unless_it_is_quoted(text: str, meant: Json) -> None:
    assert value(f"key: {text}\n") == {"key": meant}
    assert value(f'key: "{text}"\n') == {"key": text}


@pytest.mark.parametrize(
    ("text", "meant"),
    [("0o3", 3), ("0x1F", 31), ("010", 10), ("+3", 3), (".5", 0.5), ("6e4", 60000), ("3.0", 3), ("1e400", "1e400")],
)
def test_a_number_field_may_read_numbers_as_yaml_spells_them(text: str, meant: Json) -> None:
    node = read_yaml(Source("absent/x.yaml", f"key: {text}\n"))
    assert isinstance(node, Mapping)
    assert core_number(node.by_key["key"].value) == meant


@pytest.mark.parametrize("text", ["1_0", "1:30", ".inf", ".nan", "0o9", "0b1", "0x", "1e", "9" * 50])
def test_no_other_spelling_is_a_number(text: str) -> None:
    node = read_yaml(Source("absent/x.yaml", f"key: {text}\n"))
    assert isinstance(node, Mapping)
    assert core_number(node.by_key["key"].value) == text


def test_every_value_has_its_place_in_characters_also_behind_emoji_and_wide_ones() -> None:
    text = "first: [😀, 漢字]\nsecond:\n  - |\n    e\u0301\n  - {last: x}\n"
    root = read_yaml(Source("absent/x.yaml", text))
    assert isinstance(root, Mapping)
    first, second = (entry.value for entry in root.entries)
    assert isinstance(first, Sequence)
    assert [text[item.span.start : item.span.end] for item in first.items] == ["😀", "漢字"]
    assert isinstance(second, Sequence)
    last = second.items[1]
    assert isinstance(last, Mapping)
    assert text[last.span.start : last.span.end] == "{last: x}"
    assert text[root.span.start : root.span.end] == text.rstrip()


def test_a_stretch_of_a_source_is_read_with_places_in_the_whole() -> None:
    text = "---\nkey: value\n---\n"
    root = read_yaml(Source("absent/x.md", text), Span(4, 14))
    assert isinstance(root, Mapping)
    assert root.entries[0].value.span == Span(9, 14)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("a: &x 1\nb: *x\n", [("AKM7003", 1, 4), ("AKM7003", 2, 4)]),
        ("a: !!str 1\n", [("AKM7004", 1, 4)]),
        ("a: !own [1]\n", [("AKM7004", 1, 4)]),
        ("a: 1\n---\nb: 2\n", [("AKM7005", 2, 1)]),
        ("a: 1\nb: 2\na: 3\n", [("AKM7006", 3, 1)]),
        ("u\u0308: 1\n\u00fc: 2\n", [("AKM7006", 2, 1)]),
        ("true: 1\n2: 3\n? [x]\n: 4\n", [("AKM7007", 1, 1), ("AKM7007", 2, 1), ("AKM7007", 3, 3)]),
        ("a: {<<: {b: 1}}\n", [("AKM7008", 1, 5)]),
        ("a:\n\tb: 1\n", [("AKM7002", 2, 1)]),
        ("a: \x07\n", [("AKM7012", 1, 4)]),
        ("a: b\u2028c\n", [("AKM7012", 1, 5)]),
        ("%YAML 1.2\n---\na: 1\n", [("AKM7013", 1, 1)]),
        ("a: 'x\n", [("AKM7001", 2, 1)]),
        ("a: b: c\n", [("AKM7001", 1, 5)]),
        ("[a, b\n", [("AKM7001", 2, 1)]),
    ],
)
def test_what_is_outside_of_the_profile_is_refused_where_it_stands(
    text: str, codes: list[tuple[str, int, int]]
) -> None:
    assert [placed(each) for each in found(text)] == codes


def test_all_faults_of_the_profile_are_told_in_one_run() -> None:
    assert [each.code for each in found("a: &x 1\na: !t 2\n3: 4\n")] == [
        *("AKM7003", "AKM7006", "AKM7004", "AKM7007")
    ]


def test_an_invisible_start_and_odd_line_ends_are_told_with_their_places() -> None:
    source = Source("absent/x.yaml", "\ufeffa: 1\r\nb: 2\rc: 3\n")
    assert [placed(each) for each in as_it_was_given(source)] == [("AKM7010", 1, 1), ("AKM7011", 2, 5)]
    assert as_it_was_given(Source("absent/x.yaml", "a: 1\r\nb: 2\r\n")) == []


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10_000,
        "{" * 100_000,
        "- " * 10_000,
        "? " * 10_000,
        "a: [" * 10_000,
        "x: " + "[" * DEPTH_MAX + "]" * DEPTH_MAX,
        "- a\n" * 200_000,
        "[" + "a, " * (ENTRIES_MAX + 1) + "]",
        "".join(f"k{at}: 1\n" for at in range(ENTRIES_MAX + 1)),
        "".join(
            f"- {{{', '.join(f'k{each}: 1' for each in range(1000))}}}\n" for at in range(KEYS_MAX // 1000 + 1)
        ),
        "".join("- [" + "1," * 1000 + "]\n" for at in range(NODES_MAX // 1000 + 1)),
        "a: " + "x" * 70_000,
        'a: "' + "\\x41" * 70_000 + '"',
        "a: |\n" + "  é\n" * 30_000,
    ],
    ids=lambda text: text[:8].replace("\n", " ") + f"..{len(text)}",
)
@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
def test_more_than_anyone_writes_is_refused_at_once_by_either_parser(
    text: str, loader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "_Loader", getattr(yaml, loader))
    start = time.process_time()
    assert [each.code for each in found(text)] == ["AKM7009"]
    assert time.process_time() - start < AT_ONCE_S


def test_what_is_just_within_the_limits_is_read() -> None:
    assert value("[" * (DEPTH_MAX - 1) + "]" * (DEPTH_MAX - 1)) != ""
    assert value("".join(f"k{at}: 1\n" for at in range(ENTRIES_MAX))) != {}
    assert value("a: " + "x" * 65_536) == {"a": "x" * 65_536}


def test_a_bomb_of_aliases_is_told_and_never_expanded() -> None:
    levels = [f"x{at}: &x{at} [{', '.join([f'*x{at - 1}'] * 9)}]\n" for at in range(1, 9)]
    codes = {each.code for each in found("x0: &x0 lol\n" + "".join(levels))}
    assert codes == {"AKM7003"}


def test_no_more_faults_are_told_than_anyone_reads() -> None:
    assert len(found("".join(f"- &a{at} x\n" for at in range(1000)))) == FINDINGS_MAX


@pytest.mark.parametrize(
    "data", [b"a: 1\0", b"a: \xff", b"x" * (50 * 1024 * 1024)], ids=["nul", "no utf-8", "50 MB"]
)
def test_what_is_no_text_or_too_large_is_no_source(data: bytes) -> None:
    with pytest.raises(SourceUnreadable):
        Source.decode("absent/x.yaml", data)


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "---\n...\n"])
def test_an_empty_document_is_an_empty_scalar(text: str) -> None:
    node = read_yaml(Source("absent/x.yaml", text))
    assert isinstance(node, Scalar)
    assert node.text == ""


def test_both_parsers_give_the_same_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: 'q'\nb: [1, {c: \"d\\n\"}]\ne: |\n  f\n  g\nh:\ni: >-\n  j\n  k\n"
    fast = read_yaml(Source("absent/x.yaml", text))
    monkeypatch.setattr(read, "_Loader", yaml.SafeLoader)
    assert read_yaml(Source("absent/x.yaml", text)) == fast
