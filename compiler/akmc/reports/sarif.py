"""The form for code scanning: SARIF 2.1.0 (OASIS Standard, 27 March 2020)."""

from collections.abc import Iterable

from akm_specs import __version__
from akm_specs.canonical import JsonObject
from akmc.diagnostic import Diagnostic
from akmc.reports.place import Root
from akmc.reports.report import Report
from akmc.rules import all_rules
from akmc.rules.rule import Rule
from akmc.source import SourceUnreadable

#: Stands for the folder that every address in the log starts from. The log does not say where it lies on a disk.
ROOT_ID = "%SRCROOT%"

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def report_sarif(report: Report, root: Root) -> JsonObject:
    """The log of one run. Lines and columns are those of `akmc.source`: a byte order mark takes no column."""
    used = {found.code for found in report.findings}
    rules = [rule for rule in all_rules() if rule.code in used]
    indexes = {rule.code: index for index, rule in enumerate(rules)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(rules)},
                "invocations": [_invocation(report, root)],
                "originalUriBaseIds": {ROOT_ID: {"description": {"text": "The root of the repository."}}},
                "columnKind": "unicodeCodePoints",
                "newlineSequences": ["\r\n", "\n", "\r"],
                "results": [_result(found, indexes[found.code], root) for found in report.findings],
            }
        ],
    }


def _driver(rules: Iterable[Rule]) -> JsonObject:
    return {
        "name": "akmc",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in rules],
    }


def _rule(rule: Rule) -> JsonObject:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": f"{rule.explanation}\n\nWrong:\n\n{rule.wrong}\nRight:\n\n{rule.right}"},
        "defaultConfiguration": {"level": rule.severity},
    }


def _invocation(report: Report, root: Root) -> JsonObject:
    """How the run went: what it could not read, and what this log leaves out."""
    notes: list[JsonObject] = [_unread(error, root) for error in report.unreadable]
    if str(report.left_out):
        notes.append({"level": "warning", "message": {"text": str(report.left_out)}})
    return {"executionSuccessful": not report.unreadable, "toolExecutionNotifications": notes}


def _unread(error: SourceUnreadable, root: Root) -> JsonObject:
    location = {"physicalLocation": {"artifactLocation": _address(error.path, root)}}
    return {"level": "error", "message": {"text": error.reason}, "locations": [location]}


def _result(found: Diagnostic, rule_index: int, root: Root) -> JsonObject:
    start, end = found.source.position(found.span.start), found.source.position(found.span.end)
    region = {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }
    location = {"physicalLocation": {"artifactLocation": _address(found.path, root), "region": region}}
    return {
        "ruleId": found.code,
        "ruleIndex": rule_index,
        "level": found.severity,
        "message": {"text": f"{found.message}\n{found.help}" if found.help else found.message},
        "locations": [location],
    }


def _address(path: str, root: Root) -> JsonObject:
    return {"uri": root.uri(path), "uriBaseId": ROOT_ID}
