"""The bond of a run with its children: each is there, is the one that was published, and ended as was recorded.

Runs are proved one by one; this is what holds between two of them. Nothing here raises for what a store can hold.
"""

from collections.abc import Iterator, Sequence

from akm.engine.child_runs import end_of
from akm.journal.faults import Damaged, UnknownRun
from akm.journal.history import OpenRun
from akm.journal.store import ENDED, Store
from akm.kernel.children import child_run, child_step
from akm.kernel.event import Recorded
from akm.kernel.invariants import Violation
from akm.kernel.parenting import result_of
from akm_specs.canonical import JsonObject

NAME = "children_bound"


def broken(store: Store, parent: OpenRun, events: Sequence[Recorded]) -> Iterator[Violation]:
    """Every child of `parent` that is missing, is another's, or did not end as its parent says."""
    for recorded in events:
        event, data = recorded.event, recorded.event.data
        try:
            if event.name == "assignment.dispatch" and "child" in data:
                problem = _misborn(store, parent.run, event.entity, data)
            elif event.name == "assignment.record_result" and "nested" in data:
                problem = _misreported(store, parent, event.entity, data["result"]["hash"])
            else:
                problem = None
        except (UnknownRun, Damaged) as fault:
            problem = f"the child of {event.entity} cannot be read: {fault}"
        if problem is not None:
            yield Violation(NAME, recorded.sequence, problem)


def _misborn(store: Store, parent: str, assignment: str, dispatched: JsonObject) -> str | None:
    child = dispatched["child"]
    if child != child_run(parent, assignment):
        return f"{child} is not the child that does {assignment}"
    opened = store.load(child).state
    if opened.parent is None or (opened.parent.run, opened.parent.assignment) != (parent, assignment):
        return f"run {child} does not say that it does {assignment}"
    if opened.parent.share != dispatched.get("share", {}):  # older children have none
        return f"run {child} may spend another share than {assignment} gives it"
    return None


def _misreported(store: Store, parent: OpenRun, assignment: str, recorded: str) -> str | None:
    """The hash of a result covers the child's own digest, so any other end of the child shows."""
    child = child_run(parent.run, assignment)
    state, step = store.load(child).state, child_step(parent.plan, assignment)
    if state.status not in ENDED or step is None:
        return f"run {child} has not ended, and a result of it is recorded"
    if result_of(step, end_of(store, state, assignment, at_ms=0)).hash != recorded:
        return f"run {child} did not come to what is recorded of it"
    return None
