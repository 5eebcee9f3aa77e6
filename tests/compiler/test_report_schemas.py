"""Reports in formats of others are valid by the schemas that those publish.

SARIF has one schema. JUnit XML has none of its own; two are in wide use, that of Ant's reports and that of the
Jenkins xUnit plugin, and a report has to satisfy both. No package brings them, so tables here say what they demand.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Kind:
    """What a schema of JUnit XML says of an element.

    `children` is a regular expression over their names, each followed by a blank; `required` and `optional` give
    each attribute the expression that its value has to match.
    """

    children: str = ""
    required: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)


ANY, WORD, COUNT, SECONDS = r"[\s\S]*", r"(?!\s*$)[\s\S]+", r"\d{1,9}", r"\d+(\.\d+)?"
STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
COUNTS = {"tests": COUNT, "failures": COUNT, "errors": COUNT}
OUTPUT = {"system-out": Kind(), "system-err": Kind()}
PROPERTIES = {
    "properties": Kind("(property )*"),
    "property": Kind(required={"name": WORD, "value": ANY}),
}

ANT: Mapping[str, Kind] = {
    **OUTPUT,
    **PROPERTIES,
    "testsuites": Kind("(testsuite )*"),
    "testsuite": Kind(
        "properties (testcase )*system-out system-err ",
        required={
            "id": COUNT,
            "package": ANY,
            "name": WORD,
            "timestamp": STAMP,
            "hostname": WORD,
            "time": SECONDS,
            **COUNTS,
        },
        optional={"skipped": COUNT},
    ),
    "testcase": Kind("(skipped |error |failure )?", required={"name": ANY, "classname": ANY, "time": SECONDS}),
    "error": Kind(required={"type": ANY}, optional={"message": ANY}),
    "failure": Kind(required={"type": ANY}, optional={"message": ANY}),
    "skipped": Kind(),
}
XUNIT: Mapping[str, Kind] = {
    **OUTPUT,
    **PROPERTIES,
    "testsuites": Kind("(testsuite )*", optional={"name": ANY, "time": SECONDS, **COUNTS}),
    "testsuite": Kind(
        "(testsuite |properties |testcase |system-out |system-err )*",
        required={"name": ANY, **COUNTS},
        optional=dict.fromkeys(
            ("group", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"), ANY
        )
        | {"time": SECONDS},
    ),
    "testcase": Kind(
        "(skipped |error |failure |rerunFailure |rerunError |flakyFailure |flakyError |system-out |system-err )*",
        required={"name": ANY},
        optional={"time": ANY, "classname": ANY, "group": ANY},
    ),
    "error": Kind(optional={"type": ANY, "message": ANY}),
    "failure": Kind(optional={"type": ANY, "message": ANY}),
    "skipped": Kind(optional={"type": ANY, "message": ANY}),
}
JUNIT_SCHEMAS = pytest.mark.parametrize("schema", [ANT, XUNIT], ids=["Ant", "xUnit"])


def faults(element: ElementTree.Element, schema: Mapping[str, Kind]) -> list[str]:
    """What `schema` has against `element` and all below it."""
    kind = schema[element.tag]
    found = [f"{element.tag} lacks {name}" for name in kind.required if name not in element.attrib]
    for name, value in element.attrib.items():
        allowed = {**kind.required, **kind.optional}.get(name)
        if allowed is None or not re.fullmatch(allowed, value):
            found.append(f"{element.tag} has {name}={value!r}")
    children = "".join(f"{child.tag} " for child in element)
    if not re.fullmatch(kind.children, children):
        found.append(f"{element.tag} holds {children}")
    if element.tag in ("testsuites", "testsuite", "properties", "testcase") and (element.text or "").strip():
        found.append(f"{element.tag} holds text")
    return found + [fault for child in element for fault in faults(child, schema)]


@JUNIT_SCHEMAS
@EACH_REPORT
def test_junit_is_valid_by_both_schemas(report: Report, schema: Mapping[str, Kind]) -> None:
    root = ElementTree.fromstring(form("junit", report))
    assert root.tag == "testsuites"
    assert faults(root, schema) == []


@EACH_REPORT
def test_junit_counts_what_it_holds(report: Report) -> None:
    for number, suite in enumerate(ElementTree.fromstring(form("junit", report))):
        assert suite.get("id") == str(number)
        counted = [len(suite.findall(path)) for path in ("testcase", "testcase/failure", "testcase/error")]
        assert [suite.get(name) for name in COUNTS] == [str(count) for count in counted]


@JUNIT_SCHEMAS
def test_the_schemas_of_junit_refuse_what_is_none(schema: Mapping[str, Kind]) -> None:
    root = ElementTree.fromstring(form("junit", REPORTS["every rule"]))
    suite = next(iter(root))
    del suite.attrib["tests"]
    suite.set("colour", "red")
    ElementTree.SubElement(suite, "failure")
    assert len(faults(root, schema)) >= 3
