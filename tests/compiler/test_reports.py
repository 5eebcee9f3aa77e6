"""Reports of findings: each form says the same, exactly, whatever stands in sources and in names of files."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akmc.diagnostic import Diagnostic, Severity
from akmc.lint import Linted, findings_of
from akmc.reports import FORMS
from akmc.reports.forms import written
from akmc.reports.report import Report, report_of
from akmc.source import Source, SourceUnreadable, Span

BEGAN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
UNKNOWN_TOOL = "biuld"
LINE_ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}


def finding(
    text: str = "a\nstp x", marked: str = "stp", path: str = "a.akm", severity: Severity = "error", **other: str
) -> Diagnostic:
    start = text.index(marked)
    message, advice = other.get("message", "expected `b`"), other.get("advice", "write `b`")
    return Diagnostic("AKM0001", severity, message, advice, Source(path, text), Span(start, start + len(marked)))


def report(
    *findings: Diagnostic, unreadable: Iterable[SourceUnreadable] = (), files: Iterable[str] = (), most: int = 1000
) -> Report:
    return report_of(Linted(tuple(files), findings, tuple(unreadable)), most)


def form(name: str, of: Report, here: Path | str = "/") -> str:
    return written(of, name, here=str(here), began=BEGAN, colour=False)


def sarif_run(of: Report, here: Path | str = "/") -> dict[str, Any]:
    (run,) = json.loads(form("sarif", of, here))["runs"]
    assert isinstance(run, dict)
    return run


def suites(of: Report) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(form("junit", of)))


@dataclass(frozen=True)
class Command:
    """A workflow command as the runner of GitHub Actions reads it from a line of output."""

    name: str
    properties: dict[str, str]
    text: str

    @classmethod
    def read(cls, line: str) -> "Command":
        assert line.startswith("::")
        head, _, text = line[2:].partition("::")
        name, _, properties = head.partition(" ")
        pairs = (each.partition("=") for each in properties.split(","))
        return cls(name, {key: cls._plain(value) for key, _, value in pairs}, cls._plain(text))

    @staticmethod
    def _plain(text: str) -> str:
        for escape, character in {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}.items():
            text = text.replace(escape, character)
        return text


def commands(of: Report, here: Path | str = "/") -> list[Command]:
    return [Command.read(line) for line in form("github", of, here).split("\n")[:-1]]


class TestColumns:
    """The place that a report names leads a reader to the very word, whatever stands before it in the line."""

    BEFORE = (
        "plain",
        "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET} \N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}",
        "字漢かな",
        "e\N{COMBINING ACUTE ACCENT}a\N{COMBINING RING ABOVE}\N{COMBINING DIAERESIS}",
        "\N{REGIONAL INDICATOR SYMBOL LETTER D}\N{REGIONAL INDICATOR SYMBOL LETTER E}",
        "\N{ARABIC LETTER ALEF}\N{ARABIC LETTER BEH}",
    )

    def source(self, before: str, line_end: str, mark: bool) -> bytes:
        step = f"step build: exec {UNKNOWN_TOOL} {{\n on passed -> completed }}"
        lines = f'# {before}\nworkflow w "{before}" {{\t{step} }}\n'
        return (b"\xef\xbb\xbf" if mark else b"") + lines.replace("\n", line_end).encode()

    def word(self, data: bytes, place: dict[str, int]) -> str:
        """What a reader finds between two columns of a line, as SARIF with our column kind and line ends has it."""
        lines = re.split("\r\n|\n|\r", data.decode("utf-8-sig"))
        assert place["startLine"] == place["endLine"]
        return lines[place["startLine"] - 1][place["startColumn"] - 1 : place["endColumn"] - 1]

    @pytest.mark.parametrize("mark", [False, True], ids=["", "BOM"])
    @pytest.mark.parametrize("line_end", LINE_ENDS.values(), ids=LINE_ENDS)
    @pytest.mark.parametrize("before", BEFORE)
    def test_are_exact_in_every_form(self, before: str, line_end: str, mark: bool) -> None:
        data = self.source(before, line_end, mark)
        found = findings_of(Source.decode("a.akm", data), Source("registry.akm", 'tool build { argv ["make"] }'))
        (each,) = (found for found in found if found.code == "AKM2011")
        of = report(each)
        run = sarif_run(of)
        assert run["columnKind"] == "unicodeCodePoints"
        (result,) = run["results"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert self.word(data, region) == UNKNOWN_TOOL
        (command,) = commands(of)
        told = {key: int(command.properties[key]) for key in ("line", "endLine", "col", "endColumn")}
        assert list(told.values()) == [region[k] for k in ("startLine", "endLine", "startColumn", "endColumn")]
        (as_json,) = json.loads(form("json", of))["diagnostics"]
        assert (as_json["line"], as_json["column"]) == (region["startLine"], region["startColumn"])
        name = ElementTree.fromstring(form("junit", of)).find("testsuite/testcase")
        assert name is not None
        assert name.get("name") == f"AKM2011 at {region['startLine']}:{region['startColumn']}"

    def test_do_not_depend_on_line_ends_nor_on_a_byte_order_mark(self) -> None:
        forms = {
            form("sarif", report(*findings_of(Source.decode("a.akm", self.source("字", end, mark)), None)))
            for end in LINE_ENDS.values()
            for mark in (False, True)
        }
        assert len(forms) == 1

    def test_are_left_out_for_github_where_a_span_has_several_lines(self) -> None:
        (command,) = commands(report(finding("ab {\n}\n", "{\n}")))
        assert (command.properties["line"], command.properties["endLine"]) == ("1", "2")
        assert not {"col", "endColumn"} & set(command.properties)


class TestPaths:
    def address(self, path: str | Path, here: Path | str) -> str:
        (result,) = sarif_run(report(finding(path=str(path))), here)["results"]
        location = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert location["uriBaseId"] == "%SRCROOT%"
        return str(location["uri"])

    def test_are_relative_to_the_root_of_the_repository_wherever_the_command_runs(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / ".git").mkdir()
        (tmp_path / "deep" / "er").mkdir(parents=True)
        monkeypatch.chdir(tmp_path / "deep" / "er")
        for named in ("../flow.akm", str(tmp_path / "deep" / "flow.akm")):
            assert self.address(named, Path.cwd()) == "deep/flow.akm"
            (command,) = commands(report(finding(path=named)), Path.cwd())
            assert command.properties["file"] == "deep/flow.akm"

    def test_are_relative_to_the_working_folder_without_a_repository(self, tmp_path: Path) -> None:
        assert self.address(tmp_path / "deep" / "flow.akm", tmp_path) == "deep/flow.akm"

    def test_stay_relative_and_without_dots_for_a_file_outside(self, tmp_path: Path) -> None:
        (tmp_path / "here").mkdir()
        assert self.address(tmp_path / "there" / "flow.akm", tmp_path / "here") == "there/flow.akm"

    def test_through_a_link_to_the_root_are_those_below_the_root(self, tmp_path: Path) -> None:
        (tmp_path / "root").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "root")
        assert self.address(tmp_path / "link" / "flow.akm", tmp_path / "root") == "flow.akm"

    @pytest.mark.parametrize(
        ("name", "address"),
        [
            ("a b#ü%.akm", "a%20b%23%C3%BC%25.akm"),
            ("a?b&c=d;e.akm", "a%3Fb%26c%3Dd%3Be.akm"),
            ("d:flow.akm", "d%3Aflow.akm"),
            ("a\nb::c.akm", "a%0Ab%3A%3Ac.akm"),
            ("字.akm", "%E5%AD%97.akm"),
            ("a\\b.akm", "a%5Cb.akm"),
            ("a\udcffb.akm", "a%FFb.akm"),
            ("[x]~-._.akm", "%5Bx%5D~-._.akm"),
        ],
    )
    def test_are_encoded_byte_by_byte(self, tmp_path: Path, name: str, address: str) -> None:
        assert self.address(tmp_path / name, tmp_path) == address

    @pytest.mark.parametrize("name", ["a%0Ab.akm", "a\nb\rc.akm", "a::b.akm", "a,b=c:d.akm", "::error ::x.akm"])
    def test_cannot_end_a_github_command_nor_begin_another(self, tmp_path: Path, name: str) -> None:
        (command,) = commands(report(finding(path=str(tmp_path / name))), tmp_path)
        assert command.properties["file"] == name

    def test_never_tell_where_the_repository_lies(self, tmp_path: Path) -> None:
        of = report(finding(path=str(tmp_path / "a.akm")), unreadable=[SourceUnreadable(str(tmp_path / "b"), "no")])
        assert str(tmp_path) not in form("sarif", of, tmp_path)
        assert str(tmp_path) not in form("github", of, tmp_path)


class TestCap:
    MIXED = (
        finding(path="a.akm", severity="warning"),
        finding(path="b.akm"),
        finding(path="c.akm"),
        finding(path="d.akm", severity="warning"),
    )
    TOLD = "left out: 1 error, 2 warnings; --max-findings shows more"

    @pytest.mark.parametrize("name", FORMS)
    def test_is_silent_when_everything_is_shown(self, name: str) -> None:
        assert "left out" not in form(name, report(*self.MIXED, most=4)).replace('"left_out"', "")

    def test_keeps_errors_before_warnings_and_the_order_of_the_files(self) -> None:
        assert [found.path for found in report(*self.MIXED, most=3).findings] == ["a.akm", "b.akm", "c.akm"]
        assert [found.path for found in report(*self.MIXED, most=1).findings] == ["b.akm"]

    def test_is_told_in_every_form(self) -> None:
        of = report(*self.MIXED, most=1)
        assert form("text", of).endswith(f"\n{self.TOLD}\n")
        assert json.loads(form("json", of))["left_out"] == {"errors": 1, "warnings": 2, "unreadable": 0}
        assert commands(of)[-1] == Command("notice", {"title": "akmc"}, self.TOLD)
        (note,) = sarif_run(of)["invocations"][0]["toolExecutionNotifications"]
        assert note["message"]["text"] == self.TOLD
        assert suites(of)[-1].findtext("system-out") == self.TOLD

    def test_never_makes_a_faulty_file_look_right(self) -> None:
        of = report(*self.MIXED, files=["a.akm", "b.akm", "c.akm", "d.akm"], most=1)
        passed = [suite.get("name") for suite in suites(of) if suite.find("testcase[failure]") is None]
        assert passed == ["a.akm", "d.akm", "akmc lint"]

    def test_holds_for_unreadable_files_as_well(self) -> None:
        of = report(unreadable=[SourceUnreadable(name, "no such file") for name in "abc"], most=2)
        assert [error.path for error in of.unreadable] == ["a", "b"]
        assert str(of.left_out) == "left out: 1 unreadable file; --max-findings shows more"


class TestUnreadableFiles:
    OF = report(
        finding(), unreadable=[SourceUnreadable("b.akm", "no such file")], files=["a.akm", "b.akm", "c.akm"]
    )

    def test_make_a_sarif_run_that_did_not_succeed(self) -> None:
        (invocation,) = sarif_run(self.OF, Path.cwd())["invocations"]
        assert not invocation["executionSuccessful"]
        (note,) = invocation["toolExecutionNotifications"]
        assert note["message"]["text"] == "no such file"
        assert note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("b.akm")

    def test_are_errored_cases_for_junit(self) -> None:
        counts = [
            (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors"))
            for suite in suites(self.OF)
        ]
        assert counts == [("a.akm", "1", "1", "0"), ("b.akm", "1", "0", "1"), ("c.akm", "1", "0", "0")]

    def test_are_errors_for_github(self) -> None:
        assert [(each.name, each.text) for each in commands(self.OF)][-1] == ("error", "no such file")


def test_junit_shows_warnings_and_fails_nothing_for_them() -> None:
    (suite,) = suites(report(finding(severity="warning"), files=["a.akm"]))
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")
    assert "a.akm:2:1: warning AKM0001" in (suite.findtext("system-out") or "")


def test_sarif_describes_the_rules_it_names_and_no_others() -> None:
    run = sarif_run(report(finding()))
    (rule,), (result,) = run["tool"]["driver"]["rules"], run["results"]
    assert (rule["id"], result["ruleIndex"]) == (result["ruleId"], 0)
    assert rule["fullDescription"]["text"]


@pytest.mark.parametrize("name", FORMS)
def test_nothing_to_tell_is_a_whole_report_too(name: str) -> None:
    of = report(files=["a.akm"])
    text = form(name, of)
    if name in ("text", "github"):
        assert text == ""
    elif name == "junit":
        assert [suite.get("failures") for suite in suites(of)] == ["0"]
    else:
        assert json.loads(text)


def controls(text: str) -> Iterator[str]:
    return (each for each in text if unicodedata.category(each) in ("Cc", "Cs") and each not in "\n\t")


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0/"), min_size=1, max_size=12).filter(
    lambda name: name.strip(".")
)


@given(st.lists(st.tuples(names, st.text(max_size=30), st.text(max_size=30), st.text(max_size=60)), max_size=4))
def test_no_text_and_no_name_breaks_a_form(parts: list[tuple[str, str, str, str]]) -> None:
    """Raw code points of every kind: each form can be read back, and none lets a control character through."""
    of = report(
        *(
            Diagnostic(
                "AKM0001", "error", message, advice, Source(path, text), Span(len(text) // 2, len(text) // 2)
            )
            for path, message, advice, text in ((p, m, a, Source("", t).text) for p, m, a, t in parts)
        )
    )
    for name in FORMS:
        form(name, of).encode("utf-8")
    assert not list(controls(form("text", of)))
    assert not list(controls(form("junit", of)))
    assert not list(controls(form("github", of)))
    assert len(list(ElementTree.fromstring(form("junit", of)).iter("failure"))) == len(of.findings)
    assert [each.name for each in commands(of)] == ["error"] * len(of.findings)
    for result, found in zip(sarif_run(of)["results"], of.findings, strict=True):
        location = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", location)
        assert unquote_to_bytes(location).decode("utf-8", "surrogateescape").endswith(found.path)
