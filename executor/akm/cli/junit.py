"""`akm report`: a run as a JUnit XML report, each step attempt a case, with times of the run's own clock.

The form is the one on which the schemas in use agree (docs/reference/cli.md).
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from akm.cli.place import open_store
from akm.cli.reporting import emit
from akm.engine.standing import Exit
from akm.journal.store import ENDED
from akm.kernel.event import Event, Recorded
from akm.kernel.machines import finals
from akm_specs import junit
from akm_specs.junit import xml_text


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
        if event.lifecycle == "step_attempt" and event.target in finals("step_attempt"):
            case.end, case.ended_ms = event, last_ms
        elif event.name in ("step_attempt.block", "step_attempt.unblock"):
            case.blocked = event.data.get("effect", event.data.get("child")) if event.trigger == "block" else None
    for case in cases.values():
        if case.end is None:
            case.ended_ms = last_ms
    return list(cases.values()), began


def xml(workflow: str, run: str, cases: list[Case], began: str, reason: str | None) -> str:
    """The document."""
    spent = _seconds(sum(case.ended_ms - case.began_ms for case in cases))
    elements = [_case(workflow, case) for case in cases]
    stamp = began.partition(".")[0].rstrip("Z")
    suite = junit.suite(
        0, name=run, package=workflow, began=stamp, cases=elements, said=reason or "", seconds=spent, skips=True
    )
    return junit.document([suite])


def _case(workflow: str, case: Case) -> Element:
    element = junit.case(f"{workflow}.{case.step}", case.name, _seconds(case.ended_ms - case.began_ms))
    for kind, attributes in _verdict(case):
        SubElement(element, kind, {name: xml_text(value) for name, value in attributes.items()})
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
