"""`akm report`: a run as a JUnit XML report, each step attempt a case, with times of the run's own clock.

The form is the one on which the schemas in use agree (docs/reference/cli.md).
"""

import argparse
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from akm.cli.place import open_store
from akm.cli.reporting import emit
from akm.engine.standing import Exit
from akm.journal.store import ENDED
from akm.kernel.event import Event, Recorded

#: What XML 1.0 has no character for, and the control characters that it advises against.
_NOT_IN_XML = re.compile("[^\t\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENDS = frozenset({"step_attempt.pass", "step_attempt.fail", "step_attempt.skip", "step_attempt.cancel"})


@dataclass(slots=True)
class Case:
    """One step attempt. `end` is the event that ended it, None while it goes on; `blocked` why it stands still."""

    name: str
    step: str
    began_ms: int
    ended_ms: int
    end: Event | None = None
    blocked: str | None = None


def report(arguments: argparse.Namespace) -> int:
    """The report of a run that has ended or stands still."""
    store = open_store(arguments)
    row = store.run(arguments.run)
    cases, began = cases_of(store.recorded(arguments.run))
    reason = row.summary.get("reason") if row.status in ENDED else None
    text = xml(str(row.summary.get("workflow")), row.run, cases, began, reason and reason["message"])
    emit(arguments, {"run_id": row.run, "format": arguments.format, "report": text}, text.rstrip("\n"))
    return Exit.COMPLETED


def cases_of(events: Iterable[Recorded]) -> tuple[list[Case], str]:
    """The step attempts of a history in their order, and when the run began."""
    cases: dict[str, Case] = {}
    began, last_ms = "", 0
    for recorded in events:
        event, last_ms = recorded.event, recorded.at.elapsed_ms
        began = began or recorded.at.utc
        if event.name == "step_attempt.create":
            cases[event.entity] = Case(event.entity, event.data["step"], last_ms, last_ms)
        case = cases.get(event.entity)
        if case is None:
            continue
        if event.name in _ENDS:
            case.end, case.ended_ms = event, last_ms
        elif event.name in ("step_attempt.block", "step_attempt.unblock"):
            case.blocked = event.data.get("effect", event.data.get("child")) if event.trigger == "block" else None
    for case in cases.values():
        if case.end is None:
            case.ended_ms = last_ms
    return list(cases.values()), began


def xml(workflow: str, run: str, cases: list[Case], began: str, reason: str | None) -> str:
    """The document."""
    elements = [_case(workflow, case) for case in cases]
    span_ms = sum(case.ended_ms - case.began_ms for case in cases)
    suite = Element(
        "testsuite",
        {
            "id": "0",
            "name": _text(run),
            "package": _text(workflow),
            "timestamp": began.partition(".")[0].rstrip("Z"),
            "hostname": "localhost",
            "tests": str(len(cases)),
            "failures": str(sum(each.find("failure") is not None for each in elements)),
            "errors": str(sum(each.find("error") is not None for each in elements)),
            "skipped": str(sum(each.find("skipped") is not None for each in elements)),
            "time": _seconds(span_ms),
        },
    )
    SubElement(suite, "properties")
    suite.extend(elements)
    SubElement(suite, "system-out").text = _text(reason or "")
    SubElement(suite, "system-err")
    document = Element("testsuites")
    document.append(suite)
    indent(document)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(document, encoding="unicode")}\n'


def _case(workflow: str, case: Case) -> Element:
    spent = _seconds(case.ended_ms - case.began_ms)
    element = Element("testcase", {"classname": _text(f"{workflow}.{case.step}"), "name": case.name, "time": spent})
    for kind, attributes in _verdict(case):
        SubElement(element, kind, {name: _text(value) for name, value in attributes.items()})
    return element


def _verdict(case: Case) -> Iterator[tuple[str, dict[str, str]]]:
    """What is told of a case that did not simply pass."""
    if case.end is None:
        if case.blocked is not None:
            yield "error", {"type": "blocked_uncertain", "message": f"{case.blocked} cannot be proven"}
        else:
            yield "skipped", {}
    elif case.end.trigger == "fail":
        code = case.end.data.get("code") or case.end.data["outcome"]
        yield "failure", {"type": str(code), "message": str(case.end.data.get("message") or code)}
    elif case.end.trigger in ("skip", "cancel"):
        yield "skipped", {}


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}"


def _text(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)
