"""The form for test reports: JUnit XML, in the shape on which the schemas in use agree (docs/reference/cli.md)."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from akmc.diagnostic import Diagnostic
from akmc.reports.report import Report
from akmc.reports.text import to_text
from akmc.source import SourceUnreadable
from akmc.wording import visible

#: What XML 1.0 has no character for, and the control characters that it advises against.
_NOT_IN_XML = re.compile("[^\t\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report_junit(report: Report, began: datetime) -> str:
    """The document. `began` is when checking began, in UTC: a report has no clock of its own.

    Each file is a suite. Each of its errors is a failed case; a file without any is a case that passed, and one
    that could not be read a case that errored. Warnings fail nothing, so they stand in their suite's output.
    """
    document = Element("testsuites")
    for number, (name, cases, said) in enumerate(_suites(report)):
        document.append(_suite(number, name, cases, said, began))
    indent(document)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(document, encoding="unicode")}\n'


def _suites(report: Report) -> Iterator[tuple[str, list[Element], str]]:
    """The name, the cases and the output of each suite."""
    findings: dict[str, list[Diagnostic]] = {}
    for found in report.findings:
        findings.setdefault(found.path, []).append(found)
    clean, unreadable = set(report.clean), {error.path: error for error in report.unreadable}
    for path in sorted({*findings, *clean, *unreadable}):
        cases = [_failed(found) for found in findings.get(path, ()) if found.severity == "error"]
        if path in unreadable:
            cases.append(_errored(unreadable[path]))
        if path in clean:
            cases.append(_case(path, "akmc lint"))
        yield path, cases, _texts(found for found in findings.get(path, ()) if found.severity == "warning")
    if str(report.left_out):
        yield "akmc lint", [], str(report.left_out)


def _suite(number: int, name: str, cases: list[Element], said: str, began: datetime) -> Element:
    suite = Element(
        "testsuite",
        {
            "id": str(number),
            "name": _text(visible(name)),
            "package": "akmc",
            "timestamp": began.strftime("%Y-%m-%dT%H:%M:%S"),
            "hostname": "localhost",
            "tests": str(len(cases)),
            "failures": str(sum(case.find("failure") is not None for case in cases)),
            "errors": str(sum(case.find("error") is not None for case in cases)),
            "time": "0",
        },
    )
    SubElement(suite, "properties")
    suite.extend(cases)
    SubElement(suite, "system-out").text = _text(said)
    SubElement(suite, "system-err")
    return suite


def _failed(found: Diagnostic) -> Element:
    place = found.source.position(found.span.start)
    case = _case(found.path, f"{found.code} at {place.line}:{place.column}")
    failure = SubElement(case, "failure", {"type": found.code, "message": _text(visible(found.message))})
    failure.text = _texts([found])
    return case


def _errored(error: SourceUnreadable) -> Element:
    case = _case(error.path, "akmc lint")
    SubElement(case, "error", {"type": "unreadable", "message": _text(visible(error.reason))})
    return case


def _case(path: str, name: str) -> Element:
    return Element("testcase", {"classname": _text(visible(path)), "name": name, "time": "0"})


def _texts(findings: Iterable[Diagnostic]) -> str:
    return _text("\n".join(to_text(found) for found in findings))


def _text(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)
