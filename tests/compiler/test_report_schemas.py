"""Reports in formats of others are valid by the schemas that those publish.

SARIF has one schema. JUnit XML has none of its own; two are in wide use, and a report has to satisfy both.
"""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from akmc.diagnostic import Diagnostic, Severity
from akmc.lint import Linted
from akmc.reports.forms import written
from akmc.reports.report import Report, report_of
from akmc.rules import all_rules
from akmc.source import Source, SourceUnreadable, Span

PublishedSchema = Callable[[str], dict[str, Any]]
JunitFaults = Callable[[ElementTree.Element], list[str]]


def finding(code: str, severity: Severity, path: str = "deep/a b.akm", text: str = "a\n字 stp\n") -> Diagnostic:
    return Diagnostic(code, severity, f"about {code}\x1b", "mend \N{ROCKET} it\r\n", Source(path, text), Span(2, 3))


REPORTS: Mapping[str, Report] = {
    "empty": report_of(Linted((), (), ())),
    "clean": report_of(Linted(("a.akm", "b.akm"), (), ())),
    "every rule": report_of(
        Linted(("deep/a b.akm",), tuple(finding(rule.code, rule.severity) for rule in all_rules()), ())
    ),
    "unreadable": report_of(Linted(("a\udcff.akm",), (), (SourceUnreadable("a\udcff.akm", "no such file"),))),
    "capped": report_of(Linted((), (finding("AKM0001", "error"), finding("AKM0002", "error")), ()), 1),
    "at the end": report_of(
        Linted((), (Diagnostic("AKM0001", "error", "m", "", Source("a", "ab"), Span(2, 2)),), ())
    ),
    "of nothing": report_of(Linted((), (Diagnostic("AKM0001", "error", "", "", Source("a", ""), Span(0, 0)),), ())),
}
EACH_REPORT = pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)


def form(name: str, report: Report) -> str:
    return written(report, name, here="/", began=datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC), colour=False)


@EACH_REPORT
def test_sarif_is_valid_by_its_schema(report: Report, published_schema: PublishedSchema) -> None:
    log = json.loads(form("sarif", report))
    schema = published_schema(log["$schema"])
    assert [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(log)] == []


def test_the_schema_of_sarif_refuses_what_is_none(published_schema: PublishedSchema) -> None:
    log = json.loads(form("sarif", REPORTS["every rule"]))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not jsonschema.Draft7Validator(published_schema(log["$schema"])).is_valid(log)


@EACH_REPORT
def test_junit_is_valid_by_both_schemas(report: Report, junit_faults: JunitFaults) -> None:
    root = ElementTree.fromstring(form("junit", report))
    assert root.tag == "testsuites"
    assert junit_faults(root) == []


@EACH_REPORT
def test_junit_counts_what_it_holds(report: Report) -> None:
    for number, suite in enumerate(ElementTree.fromstring(form("junit", report))):
        assert suite.get("id") == str(number)
        counted = [len(suite.findall(path)) for path in ("testcase", "testcase/failure", "testcase/error")]
        assert [suite.get(name) for name in ("tests", "failures", "errors")] == [str(count) for count in counted]


def test_the_schemas_of_junit_refuse_what_is_none(junit_faults: JunitFaults) -> None:
    root = ElementTree.fromstring(form("junit", REPORTS["every rule"]))
    suite = next(iter(root))
    del suite.attrib["tests"]
    suite.set("colour", "red")
    ElementTree.SubElement(suite, "failure")
    assert len(junit_faults(root)) >= 6
