"""The form for programs: one JSON document."""

from akm_specs.canonical import JsonObject
from akmc.diagnostic import Diagnostic
from akmc.reports.report import Report


def to_json(found: Diagnostic) -> JsonObject:
    """One finding: lines and columns from 1, the end being the place after the last character."""
    start, end = found.source.position(found.span.start), found.source.position(found.span.end)
    return {
        "code": found.code,
        "severity": found.severity,
        "message": found.message,
        "help": found.help,
        "file": found.path,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }


def report_json(report: Report) -> JsonObject:
    """The whole report. `left_out` counts what it does not hold."""
    return {
        "diagnostics": [to_json(found) for found in report.findings],
        "unreadable": [str(error) for error in report.unreadable],
        "left_out": {
            "errors": report.left_out.errors,
            "warnings": report.left_out.warnings,
            "unreadable": report.left_out.unreadable,
        },
    }
