"""The form for test reports: JUnit XML, in the shape on which the schemas in use agree (docs/reference/cli.md)."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement

from akm_specs import junit
from akm_specs.junit import xml_text
from akmc.diagnostic import Diagnostic
from akmc.reports.report import Report
from akmc.reports.text import to_text
from akmc.source import SourceUnreadable
from akmc.wording import visible


def report_junit(report: Report, began: datetime) -> str:
    """The document. `began` is when checking began, in UTC: a report has no clock of its own.

    Each file is a suite. Each of its errors is a failed case; a file without any is a case that passed, and one
    that could not be read a case that errored. Warnings fail nothing, so they stand in their suite's output.
    """
    stamp = began.strftime("%Y-%m-%dT%H:%M:%S")
    return junit.document(
        junit.suite(number, name=visible(name), package="akmc", began=stamp, cases=cases, said=said)
        for number, (name, cases, said) in enumerate(_suites(report))
    )


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


def _failed(found: Diagnostic) -> Element:
    place = found.source.position(found.span.start)
    case = _case(found.path, f"{found.code} at {place.line}:{place.column}")
    failure = SubElement(case, "failure", {"type": found.code, "message": xml_text(visible(found.message))})
    failure.text = xml_text(_texts([found]))
    return case


def _errored(error: SourceUnreadable) -> Element:
    case = _case(error.path, "akmc lint")
    SubElement(case, "error", {"type": "unreadable", "message": xml_text(visible(error.reason))})
    return case


def _case(path: str, name: str) -> Element:
    return junit.case(visible(path), name)


def _texts(findings: Iterable[Diagnostic]) -> str:
    return "\n".join(to_text(found) for found in findings)
