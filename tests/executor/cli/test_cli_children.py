"""What a person sees and types where a run stands at its child."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

PARENT = 'step ship: workflow "child.akm" { on completed -> completed, on cancelled -> cancelled }'
ASKS = """
  step ok: approval {
    by [alice]
    timeout 1h
    on passed -> completed
    on rejected -> failed
    on expired -> failed
  }
"""


def child_of(person: "Person", code: int, steps: str = ASKS) -> tuple[str, Any]:
    """Run `r`, driven until it stands at its child: the child's id, and what the command told."""
    person.write("child.akm", f'workflow child "Child" {{\n{steps}\n}}\n')
    told = person.told("run", person.plan(PARENT), "--id", "r", code=code)
    return person.told("status", "r")["child"]["run"], told


def test_a_parked_parent_names_what_its_child_waits_for_and_what_to_type(person: "Person") -> None:
    child, told = child_of(person, code=4)
    assert (told["status"], told["resume"]) == ("waiting", "akm resume r")
    said = person.does("status", "r").out
    assert f"child     {child} (child): waiting ok#1" in said
    assert f"akm approve {child} ok --as alice" in said
    assert "then akm resume r" in said


def test_a_decision_goes_to_the_child_and_the_parent_is_resumed(person: "Person") -> None:
    child, _ = child_of(person, code=4)
    assert person.told("approve", child, "ok", "--as", "alice")["resume"] == "akm resume r"
    assert person.told("resume", "r")["status"] == "completed"
    assert person.told("status", child)["parent"] == {"run": "r", "assignment": "ship#1"}
    assert person.told("status", "r")["child"] is None


def test_a_decision_sent_to_the_parent_is_refused(person: "Person") -> None:
    child_of(person, code=4)
    assert "waits for no decision" in person.does("approve", "r", "ok", "--as", "alice", code=2).err


def test_cancelling_a_parent_that_nobody_drives_ends_both(person: "Person") -> None:
    child, _ = child_of(person, code=4)
    person.does("cancel", "r", code=3)
    assert person.told("status", child)["status"] == "cancelled"
    person.does("verify", "r")


def test_a_blocked_child_exits_5_and_is_resolved_by_its_own_id(person: "Person") -> None:
    person.write("child.akm", 'workflow child "Child" {\nstep pay: exec pay { on passed -> completed }\n}\n')
    engine = person.holds(PARENT)
    engine.terminate()
    engine.wait(60)
    told = person.told("resume", "r", code=5)
    child = person.told("status", "r")["child"]["run"]
    assert told["resume"].startswith(f"akm resolve {child} pay#1/1 ")
    person.does("resolve", child, "pay", "--action", "mark-failed", "--as", "alice", "--reason", "not there")
    assert person.told("resume", "r", code=1)["status"] == "failed"
    assert person.living() == []


@pytest.mark.parametrize(("span", "words", "code"), [("100ms", ("--wait",), 0), ("1h", (), 4)])
def test_a_child_that_waits_for_time_alone_is_stayed_for_with_wait(
    person: "Person", span: str, words: tuple[str, ...], code: int
) -> None:
    nap = f"step nap: wait {span} {{ on passed -> completed }}"
    person.write("child.akm", f'workflow child "Child" {{\n{nap}\n}}\n')
    person.does("run", person.plan(PARENT), "--id", "r", *words, code=code)
