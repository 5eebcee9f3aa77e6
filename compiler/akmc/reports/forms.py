"""A report in the form that is asked for."""

import json
import re
from datetime import datetime

from akmc.reports.github import report_github
from akmc.reports.json import report_json
from akmc.reports.junit import report_junit
from akmc.reports.place import root_of
from akmc.reports.report import Report
from akmc.reports.sarif import report_sarif
from akmc.reports.text import report_text

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def written(report: Report, form: str, *, here: str, began: datetime, colour: bool) -> str:
    """`report` in one of `akmc.reports.FORMS`, with a line end behind it unless it is empty.

    `here` is the working folder, from which the root of the repository is found; `began` is when checking began,
    in UTC; `colour` counts for text only. A name of a file that is no Unicode stands with replacement characters,
    but exactly in an address.
    """
    root = root_of([*(found.path for found in report.findings), *(error.path for error in report.unreadable)], here)
    match form:
        case "json":
            text = _document(report_json(report))
        case "sarif":
            text = _document(report_sarif(report, root))
        case "github":
            text = report_github(report, root)
        case "junit":
            text = report_junit(report, began)
        case _:
            assert form == "text", form
            text = report_text(report, colour=colour)
    return _LONE_SURROGATE.sub("\ufffd", text)


def _document(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
