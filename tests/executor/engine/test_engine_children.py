"""Child runs with real processes: made once, driven with their parent, and ended before it."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from akm.engine import inbox
from akm.engine.driver import Limits
from akm.engine.opening import open_existing, open_new, this_host
from akm.engine.plans import FrozenPlan, PlanAltered, from_bytes
from akm.engine.standing import Cause, Exit
from akm.engine.verification import verify
from akm.journal.faults import LeaseHeld, RunExists
from akm.journal.lease import this_process
from akm.journal.store import Store
from akm.kernel.digest import digest
from akm_specs.canonical import seal
from akm_specs.nesting import DEPTH_MAX
from akmc.pipeline import compile_workflow, registry_beside
from akmc.source import Source

#: `mark` is quick. `unsure` runs until the file `go` is there, with a child of its own. `dear` spends.
TOOLS = r"""
tool mark   { argv ["sh", "-c", "echo $AKM_RUN $AKM_ATTEMPT >> marks"], effect read_only }
tool say    { argv ["echo", "{\"n\": 7}"], effect read_only }
tool bad    { argv ["false"], effect read_only }
tool unsure {
  argv [
    "sh", "-c",
    "echo $AKM_ATTEMPT >> marks; test -e go || { echo $$ >> pids; sleep 300 & echo $! >> pids; wait; }"
  ]
}
tool held   { argv ["sh", "-c", "echo $$ >> pids; sleep 300 & wait"], effect read_only }
tool dear {
  argv ["echo", "{\"outcome\": \"passed\", \"usage\": {\"tokens\": 500, \"cost_usd\": 0.25}}"]
  effect read_only
}
tool judged { argv ["echo", "{\"complete\": true}"], effect read_only }
agent dear  { tool dear }
agent judge { tool judged }
"""
PARENT = """
  step ship: workflow "child.akm" {
    on completed -> after
    on failed    -> failed
    on cancelled -> after
  }
  step after: exec mark { on passed -> completed }
"""
WAITING = """
  step one: exec mark { on passed -> ok }
  step ok: approval { by [alice], timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed }
"""
UNSURE = "step pay: exec unsure { on passed -> completed }"

Nested = Callable[..., FrozenPlan]


@pytest.fixture
def nested(tmp_path: Path) -> Nested:
    """Freezes a workflow of these steps beside others that are given by name."""

    def made(steps: str = PARENT, head: str = 'param value: string = "x"', **others: str) -> FrozenPlan:
        folder = tmp_path / "sources"
        folder.mkdir(exist_ok=True)
        (folder / "registry.akm").write_text(TOOLS)
        for name, text in others.items():
            (folder / f"{name}.akm").write_text(f'workflow {name} "Nested" {{\n{text}\n}}\n')
        source = folder / "parent.akm"
        source.write_text(f'workflow parent "Parent" {{\n{head}\n{steps}\n}}\n')
        compiled = compile_workflow(Source.read(str(source)), registry_beside(str(source)))
        return from_bytes(compiled.data, "parent")

    return made


def child_of(workshop: Any, run: str = "r") -> str:
    """The child run that is at work for a run."""
    return str(workshop.store().run(run).summary["child"]["run"])


def statuses(workshop: Any) -> dict[str, str]:
    """The status of every run by its workflow; each of these tests has one run of each."""
    rows = workshop.store().runs()
    found = {row.summary["workflow"]: row.status for row in rows}
    assert len(found) == len(rows), "a run was made twice"
    return found


def proved(workshop: Any) -> None:
    """Nothing that must hold of any run, or between two, is broken, and nobody holds a lease."""
    store = workshop.store()
    for row in store.runs():
        assert verify(store, row.run).violations == ()
        assert not store.is_driven(row.run)


def send(workshop: Any, run: str, draft: inbox.Draft) -> None:
    with closing(Store(workshop.directory, create=True)) as store:  # of this thread
        store.post(run, draft.key, draft.kind, draft.body)


def approve(workshop: Any, child: str) -> None:
    waiting = workshop.store().run(child).summary["waiting_for"]
    draft = inbox.decision(
        waiting["step_attempt"], approve=True, by="alice", reason="", shown=waiting["shown_hash"]
    )
    send(workshop, child, draft)


def test_a_child_is_driven_to_its_end_before_its_parent_goes_on(workshop: Any, nested: Nested) -> None:
    steps = PARENT.replace("on completed", "output { give: { n: int } }\n    on completed")
    frozen = nested(steps, child="step give: exec say { output { n: int }, on passed -> completed }")
    standing = workshop.new(frozen).drive()
    assert standing.exit == Exit.COMPLETED
    assert standing.state.outputs["ship"] == {"give": {"n": 7}}
    assert statuses(workshop) == {"parent": "completed", "child": "completed"}
    proved(workshop)


def test_a_child_is_given_its_parameters_and_says_whose_it_is(workshop: Any, nested: Nested) -> None:
    steps = PARENT.replace("on completed", "with { name: params.value }\n    on completed")
    frozen = nested(steps, child=f"param name: string\nparam more: int = 3\n{WAITING}")
    standing = workshop.new(frozen).drive()
    assert (standing.exit, standing.cause) == (Exit.PARKED, Cause.WAITING)
    child = workshop.store().load(child_of(workshop)).state
    assert child.parameters == {"name": "x", "more": 3}
    assert (child.parent.run, child.parent.assignment) == ("r", "ship#1")


def test_a_child_that_waits_parks_its_parent_and_both_go_on_together(workshop: Any, nested: Nested) -> None:
    workshop.new(nested(child=WAITING)).drive()
    assert statuses(workshop) == {"parent": "waiting", "child": "waiting"}
    before = workshop.store().run("r").sequence
    assert workshop.resumed().exit == Exit.PARKED
    assert workshop.store().run("r").sequence == before, "waiting on leaves no trace"
    approve(workshop, child_of(workshop))
    assert workshop.resumed().exit == Exit.COMPLETED
    assert [line.split()[1] for line in workshop.lines("marks")] == ["one#1/1", "after#1/1"]
    proved(workshop)


def test_a_child_that_was_driven_alone_is_not_driven_again(workshop: Any, nested: Nested) -> None:
    workshop.new(nested(child=WAITING)).drive()
    child = child_of(workshop)
    approve(workshop, child)
    alone = open_existing(workshop.store(), child, Limits(), workshop.quiet, this_host(), going_on=True)
    assert alone.drive().exit == Exit.COMPLETED
    assert workshop.resumed().exit == Exit.COMPLETED
    proved(workshop)


def test_a_child_that_somebody_else_drives_is_left_to_them(workshop: Any, nested: Nested) -> None:
    workshop.new(nested(child=WAITING)).drive()
    child = child_of(workshop)
    other = workshop.store()
    lease = other.claim(child, this_process())
    with pytest.raises(LeaseHeld, match=child):
        workshop.resumed()
    assert not workshop.store().is_driven("r")
    other.release(lease)
    approve(workshop, child)
    assert workshop.resumed().exit == Exit.COMPLETED


def test_cancelling_a_parent_cancels_its_child_first(workshop: Any, nested: Nested) -> None:
    workshop.new(nested(child=WAITING)).drive()
    send(workshop, "r", inbox.cancel("alice", "enough"))
    assert workshop.resumed().exit == Exit.CANCELLED
    assert statuses(workshop) == {"parent": "cancelled", "child": "cancelled"}
    assert "after" not in str(workshop.lines("marks"))
    proved(workshop)


def test_cancelling_a_parent_stops_what_its_child_runs(
    workshop: Any, nested: Nested, eventually: Callable[[Callable[[], Any]], Any]
) -> None:
    driver = workshop.new(nested(child=UNSURE.replace("unsure", "held")))

    def cancel() -> None:
        eventually(lambda: workshop.lines("pids"))
        send(workshop, "r", inbox.cancel("alice", "enough"))

    thread = threading.Thread(target=cancel)
    thread.start()
    assert driver.drive().exit == Exit.CANCELLED
    thread.join()
    assert statuses(workshop) == {"parent": "cancelled", "child": "cancelled"}
    assert workshop.left() == []
    proved(workshop)


def test_a_child_cancelled_on_its_own_is_an_outcome(workshop: Any, nested: Nested) -> None:
    workshop.new(nested(child=WAITING)).drive()
    send(workshop, child_of(workshop), inbox.cancel("alice", "not this one"))
    assert workshop.resumed().exit == Exit.COMPLETED
    assert statuses(workshop) == {"parent": "completed", "child": "cancelled"}
    taken = [each.event.data for each in workshop.history() if each.event.name == "transition.taken"]
    assert [each["outcome"] for each in taken] == ["cancelled", "passed"]
    proved(workshop)


def test_a_failed_child_is_an_outcome_that_says_why(workshop: Any, nested: Nested) -> None:
    standing = workshop.new(nested(child="step one: exec bad { on passed -> completed }")).drive()
    assert standing.exit == Exit.FAILED
    recorded = [each.event.data for each in workshop.history() if each.event.name == "assignment.record_result"]
    assert recorded[0]["result"]["code"] == "child_failed"
    assert "step one selected failed" in recorded[0]["result"]["detail"]
    proved(workshop)


def interrupted(workshop: Any, frozen: FrozenPlan, eventually: Callable[[Callable[[], Any]], Any]) -> Exit:
    """A driver that is interrupted while the tool of the child runs."""
    driver = workshop.new(frozen)
    thread = threading.Thread(target=lambda: (eventually(lambda: workshop.lines("pids")), driver.interrupt()))
    thread.start()
    found: Exit = driver.drive().exit
    thread.join()
    return found


def test_an_interrupt_reaches_the_child_and_leaves_nothing(
    workshop: Any, nested: Nested, eventually: Callable[[Callable[[], Any]], Any]
) -> None:
    assert interrupted(workshop, nested(child=UNSURE), eventually) == Exit.INTERRUPTED
    assert workshop.left() == []
    proved(workshop)


def test_a_blocked_child_blocks_its_parent_until_it_is_resolved(
    workshop: Any, nested: Nested, eventually: Callable[[Callable[[], Any]], Any]
) -> None:
    interrupted(workshop, nested(child=UNSURE), eventually)
    assert workshop.resumed().exit == Exit.BLOCKED
    assert statuses(workshop) == {"parent": "blocked_uncertain", "child": "blocked_uncertain"}
    proved(workshop)
    child = child_of(workshop)
    draft = inbox.resolution(
        "pay#1/1", action="mark-completed", by="alice", reason="seen", reference="there", nth=0
    )
    send(workshop, child, draft)
    assert workshop.resumed().exit == Exit.COMPLETED
    assert statuses(workshop) == {"parent": "completed", "child": "completed"}
    proved(workshop)


def test_a_blocked_child_keeps_a_cancelled_parent_from_ending(
    workshop: Any, nested: Nested, eventually: Callable[[Callable[[], Any]], Any]
) -> None:
    interrupted(workshop, nested(child=UNSURE), eventually)
    send(workshop, "r", inbox.cancel("alice", "enough"))
    assert workshop.resumed().exit == Exit.BLOCKED
    assert workshop.resumed().exit == Exit.BLOCKED
    draft = inbox.resolution("pay#1/1", action="mark-failed", by="alice", reason="lost", reference=None, nth=0)
    send(workshop, child_of(workshop), draft)
    assert workshop.resumed().exit == Exit.CANCELLED
    assert statuses(workshop) == {"parent": "cancelled", "child": "cancelled"}
    proved(workshop)


CHILD_OF_THREE = """
  step one: exec mark { on passed -> deep }
  step deep: workflow "grandchild.akm" { on completed -> two, on cancelled -> cancelled }
  step two: exec mark { on passed -> completed }
"""
GRANDCHILD = """
  step x: exec mark { on passed -> y }
  step y: exec mark { on passed -> completed }
"""


def test_drivers_killed_after_each_of_their_commits_make_each_child_once(
    workshop_in: Callable[[str], Any], nested: Nested
) -> None:
    frozen = nested(child=CHILD_OF_THREE, grandchild=GRANDCHILD)
    undisturbed, killed = workshop_in("undisturbed"), workshop_in("killed")
    undisturbed.new(frozen).drive()
    kills = 0
    while (driver := killed.child(frozen, DIE_AT_COMMIT="1")).wait(60) < 0:
        kills += 1
        assert kills < 60
    assert driver.returncode == Exit.COMPLETED
    assert kills >= 9, "a commit for each run's start, step and end"
    assert statuses(killed) == dict.fromkeys(("parent", "child", "grandchild"), "completed")
    assert [line.split()[1] for line in killed.lines("marks")] == [
        "one#1/1",
        "x#1/1",
        "y#1/1",
        "two#1/1",
        "after#1/1",
    ]
    assert digest(killed.history()) == digest(undisturbed.history())
    proved(killed)


def test_eight_workflows_nest(workshop: Any, nested: Nested) -> None:
    names = [f"level{number}" for number in range(1, DEPTH_MAX)]
    texts = {
        name: f'step go: workflow "{below}.akm" {{ on completed -> completed, on cancelled -> cancelled }}'
        for name, below in pairwise(names)
    }
    texts[names[-1]] = "step leaf: exec mark { on passed -> completed }"
    frozen = nested(PARENT.replace("child.akm", "level1.akm"), **texts)
    assert workshop.new(frozen).drive().exit == Exit.COMPLETED
    assert len(statuses(workshop)) == DEPTH_MAX
    proved(workshop)


@pytest.mark.parametrize("deep", [False, True], ids=["child", "grandchild"])
def test_a_child_stops_once_it_has_spent_what_its_parent_has_left(
    workshop: Any, nested: Nested, deep: bool
) -> None:
    spends = """
      step one: agent dear { prompt "Think.", on passed -> two }
      step two: agent dear { prompt "Think.", on passed -> three }
      step three: agent dear { prompt "Think.", on passed -> completed }
    """
    between = 'step go: workflow "leaf.akm" { on completed -> completed, on cancelled -> cancelled }'
    nests = {"child": between, "leaf": spends} if deep else {"child": spends}
    frozen = nested(head='param value: string = "x"\nlimits { tokens 900 }', **nests)
    standing = workshop.new(frozen).drive()
    assert standing.exit == Exit.FAILED
    spent = workshop.store().run("r").summary["spent"]
    assert spent["tokens"] == 1000, "each attempt is weighed before it starts, and the third one never did"
    rows = workshop.store().runs()
    (leaf,) = [row for row in rows if row.summary["workflow"] == ("leaf" if deep else "child")]
    reason = workshop.store().load(leaf.run).state.reason
    assert reason["code"] == "budget_exhausted"
    assert "limits.tokens" in reason["message"]
    assert "the parent's ceiling of 900" in reason["message"]
    proved(workshop)


def test_a_child_whose_file_lies_elsewhere_works_in_its_parents_workspace(
    workshop: Any, nested: Nested, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "sources" / "elsewhere"
    elsewhere.mkdir(parents=True)
    leaf = 'workflow child "Child" {\nstep one: exec mark { on passed -> completed }\n}\n'
    (elsewhere / "child.akm").write_text(leaf)
    (elsewhere / "registry.akm").write_text('tool mark { argv ["sh", "-c", "pwd >> marks"], effect read_only }\n')
    frozen = nested(PARENT.replace("child.akm", "elsewhere/child.akm"))
    assert workshop.new(frozen).drive().exit == Exit.COMPLETED
    assert workshop.lines("marks")[0] == str(workshop.workspace.resolve()), "by the registry beside the child"
    proved(workshop)


def test_a_child_makes_no_more_assignments_than_its_parent_has_left(workshop: Any, nested: Nested) -> None:
    marks = """
      step one: exec mark { on passed -> two }
      step two: exec mark { on passed -> completed }
    """
    frozen = nested(head='param value: string = "x"\nlimits { units 2 }', child=marks)
    assert workshop.new(frozen).drive().exit == Exit.FAILED
    assert len(workshop.lines("marks")) == 1
    proved(workshop)


def test_what_a_child_spends_counts_against_its_parents_ceilings(workshop: Any, nested: Nested) -> None:
    child = 'step think: agent dear { prompt "Think.", on passed -> completed }'
    frozen = nested(
        PARENT.replace("exec mark", "agent dear").replace("on passed", 'prompt "Think."\n    on passed'),
        head='param value: string = "x"\nlimits { tokens 400, cost 9 USD }',
        child=child,
    )
    standing = workshop.new(frozen).drive()
    assert standing.exit == Exit.FAILED
    assert standing.state.reason["message"].startswith("limits.tokens: 500")
    spent = workshop.store().run("r").summary["spent"]
    assert (spent["units"], spent["tokens"], spent["cost_microdollars"]) == (3, 500, 250_000)
    assert spent["agent_time_ms"] > 0
    proved(workshop)


def test_units_of_a_child_count_and_default_limits_have_room_for_them(workshop: Any, nested: Nested) -> None:
    declared = nested(head='param value: string = "x"\nlimits { units 3 }', child=GRANDCHILD)
    standing = workshop.new(declared).drive()
    assert standing.exit == Exit.FAILED
    assert standing.state.reason["message"].startswith("limits.units: 4")
    assert statuses(workshop) == {"parent": "failed", "child": "completed"}
    assert nested(child=GRANDCHILD).plan["limits"]["units"]["value"] == 4


def test_a_step_limit_counts_the_steps_of_children(workshop: Any, nested: Nested) -> None:
    standing = workshop.new(nested(child=GRANDCHILD), Limits(steps_max=1)).drive()
    assert (standing.exit, standing.cause) == (Exit.PARKED, Cause.STEP_LIMIT)
    assert [line.split()[1] for line in workshop.lines("marks")] == ["x#1/1"]
    assert workshop.resumed(Limits(steps_max=2)).cause is Cause.STEP_LIMIT
    assert workshop.resumed().exit == Exit.COMPLETED
    proved(workshop)


def test_a_gate_judges_what_a_child_has_made(workshop: Any, nested: Nested) -> None:
    steps = PARENT.replace(
        "on completed",
        'output { give: { n: int } }\n    gate { judge judge, rubric "It is seven." }\n    on completed',
    )
    frozen = nested(steps, child="step give: exec say { output { n: int }, on passed -> completed }")
    assert workshop.new(frozen).drive().exit == Exit.COMPLETED
    made = [each.event.entity for each in workshop.history() if each.event.name == "assignment.create"]
    assert made == ["ship#1", "ship.gate#1", "after#1"]


def test_an_altered_child_plan_is_refused(nested: Nested) -> None:
    body = {name: value for name, value in nested(child=GRANDCHILD).plan.items() if name != "hash"}
    ((plan_hash, child),) = body["children"].items()  # type: ignore[attr-defined]  # JSON of a plan
    body["children"] = {plan_hash: {**child, "title": "Another"}}
    with pytest.raises(PlanAltered, match="child"):
        from_bytes(seal(body)[0], "altered")


def test_another_run_in_the_place_of_a_child_is_never_taken_for_it(
    workshop_in: Callable[[str], Any], nested: Nested
) -> None:
    frozen = nested(child=WAITING)
    first, second = workshop_in("first"), workshop_in("second")
    first.new(frozen).drive()
    taken = child_of(first)
    store = second.store()
    open_new(store, frozen, {"value": "y"}, taken, second.workspace, Limits(), second.quiet, this_host()).let_go()
    with pytest.raises(RunExists, match=taken):
        second.new(frozen).drive()


def test_a_child_that_is_missing_or_another_is_found_by_verify(workshop: Any, nested: Nested) -> None:
    workshop.new(nested(child=GRANDCHILD)).drive()
    (child,) = [row.run for row in workshop.store().runs() if row.run != "r"]
    with closing(sqlite3.connect(workshop.directory / "akm.db")) as connection, connection:
        for table in ("events", "leases", "inbox", "runs"):
            connection.execute(f"DELETE FROM {table} WHERE run = ?", (child,))
    found = verify(workshop.store(), "r").violations
    assert {each.name for each in found} == {"children_bound"}
    assert len(found) == 2
