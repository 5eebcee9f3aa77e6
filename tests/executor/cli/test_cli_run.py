"""`akm run` and `akm resume`: what they start, where they stop, and how they say so."""

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

GOOD = "step a: exec good { on passed -> completed }"
BAD = "step a: exec bad { on passed -> completed }"
TWO = """
  step a: exec good { on passed -> b }
  step b: exec good { on passed -> completed }
"""
SIGN = """
  step sign: approval {
    by alice, timeout 1h, on passed -> completed, on rejected -> failed, on expired -> cancelled
  }
"""
MEMBERS = (
    *("run_id", "workflow", "plan_hash", "status", "outcome", "step", "sequence", "digest", "outputs"),
    "resume",
)
ENDINGS = (
    ("step a: exec good { on passed -> cancelled }", 3, "cancelled"),
    (GOOD, 0, "completed"),
    (BAD, 1, "failed"),
    (SIGN, 4, "waiting"),
)
TYPED = """
  param text: string matching "^[a-z0-9]+$"
  param count: int 1..9 = 1
  param flag: boolean = false
  param kind: one of ["x", "y"] = "x"
  param many: list max 3 of int = []
  step a: exec good {
    with { all: [params.text, params.count, params.flag, params.kind, params.many] }
    on passed -> completed
  }
"""


@pytest.mark.parametrize(("steps", "code", "status"), ENDINGS)
def test_the_exit_code_and_the_document_say_how_a_run_stands(
    person: "Person", steps: str, code: int, status: str
) -> None:
    told = person.told("run", person.plan(steps), "--id", "r", code=code)
    assert tuple(told) == MEMBERS
    assert (told["run_id"], told["workflow"], told["status"]) == ("r", "work", status)
    assert told["resume"] == ("akm resume r" if status == "waiting" else None)
    assert told["sequence"] == len(person.told("log", "r"))
    assert told["digest"] == person.does("digest", "r").out.strip()
    assert told["plan_hash"] == json.loads((person.here / "work.plan.json").read_bytes())["hash"]


def test_text_says_where_the_run_stands_and_what_to_type_next(person: "Person") -> None:
    ended = person.does("run", person.plan(SIGN), "--id", "r", code=4)
    assert "run r (work): waiting" in ended.out
    assert "akm approve r sign --as alice" in ended.out
    assert "sign#1 waits" in ended.err


def test_progress_is_plain_lines_when_it_is_no_terminal(person: "Person") -> None:
    ended = person.does("run", person.plan(TWO))
    assert ended.err.splitlines() == ["  ✓ a#1 passed → b", "  ✓ b#1 passed → completed"]


def test_a_source_is_compiled_and_run(person: "Person") -> None:
    person.write("registry.akm", 'tool good { argv ["true"] }\n')
    person.write("work.akm", f'workflow work "Work" {{ {GOOD} }}\n')
    told = person.told("run", "work.akm")
    assert told["run_id"].startswith("work-")
    assert sorted(path.name for path in person.here.iterdir() if path.is_file()) == ["registry.akm", "work.akm"]


def test_a_run_is_driven_on_by_its_id(person: "Person") -> None:
    plan = person.plan(TWO)
    assert person.told("run", plan, "--id", "r", "--max-steps", "1", code=4)["step"] == "b"
    assert person.told("run", "r")["status"] == "completed"
    assert person.told("resume", "r")["status"] == "completed"


def test_the_same_id_is_the_same_run(person: "Person") -> None:
    plan = person.plan(SIGN)
    person.does("run", plan, "--id", "r", code=4)
    person.does("run", plan, "--id", "r", code=4)
    person.does("approve", "r", "sign", "--as", "alice")
    first = person.told("run", plan, "--id", "r")
    assert person.told("run", plan, "--id", "r") == first
    assert len(person.told("list")) == 1


def test_the_id_of_another_run_is_refused(person: "Person") -> None:
    person.does("run", person.plan(GOOD), "--id", "r")
    refused = person.does("run", person.plan(SIGN), "--id", "r", code=2)
    assert "another plan" in refused.err


@pytest.mark.parametrize("run_id", ["", "../up", "a b", "-r", "a" * 65, "ü"])
def test_an_id_that_is_no_name_is_refused(person: "Person", run_id: str) -> None:
    person.does("run", person.plan(GOOD), f"--id={run_id}", code=2)
    assert not (person.here / ".akm").exists()


def test_max_steps_parks_and_each_command_counts_anew(person: "Person") -> None:
    person.does("run", person.plan(TWO), "--id", "r", "--max-steps", "1", code=4)
    parked = person.told("status", "r")
    assert (parked["step"], parked["transitions"]) == ("b", 1)
    assert person.told("resume", "r", "--max-steps", "1")["status"] == "completed"


def test_timeout_starts_nothing_new(person: "Person") -> None:
    registry = 'tool slow { argv ["sleep", "2"], effect read_only }\n'
    steps = "step a: exec slow { on passed -> b }\n step b: exec slow { on passed -> completed }"
    ended = person.does("run", person.plan(steps, registry), "--id", "r", "--timeout", "1500ms", code=4)
    assert "time limit" in ended.out
    assert person.told("status", "r")["step"] == "b"
    person.does("resume", "r")


def test_wait_stays_for_a_timer(person: "Person") -> None:
    plan = person.plan("step nap: wait 300ms { on passed -> completed }")
    assert person.told("run", plan, "--wait")["status"] == "completed"


def test_wait_stays_for_a_decision_and_takes_it_at_once(person: "Person") -> None:
    driver = person.begins("run", person.plan(SIGN), "--id", "r", "--wait", "--json")
    person.until(lambda: person.akm("approve", "r", "sign", "--as", "alice").code == 0)
    out, _ = driver.communicate(timeout=30)
    assert (driver.returncode, json.loads(out)["status"]) == (0, "completed")


# parameters


def test_parameters_are_read_by_their_type(person: "Person") -> None:
    words = ["text=12", "count=3", "flag=true", "kind=y", "many=[1, 2]"]
    person.does("run", person.plan(TYPED), "--id", "r", *(word for one in words for word in ("-p", one)))
    (created, *_) = person.told("log", "r")
    given = created["data"]["parameters"]
    assert given == {"text": "12", "count": 3, "flag": True, "kind": "y", "many": [1, 2]}


def test_a_parameter_on_the_command_line_wins_over_the_file(person: "Person") -> None:
    person.write("p.json", '{"text": "a", "count": 2}')
    person.does("run", person.plan(TYPED), "--id", "r", "--params", "p.json", "-p", "count=5")
    (created, *_) = person.told("log", "r")
    assert (created["data"]["parameters"]["text"], created["data"]["parameters"]["count"]) == ("a", 5)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), "text"),
        (("-p", "texd=a"), "did you mean 'text'"),
        (("-p", "text"), "NAME=VALUE"),
        (("-p", "text=a", "-p", "text=b"), "twice"),
        (("-p", "text=A B"), "text"),
        (("-p", "text=a", "-p", "count=ten"), "count"),
        (("-p", "text=a", "-p", "count=10"), "count"),
        (("-p", "text=a", "-p", "count=true"), "count"),
        (("-p", "text=a", "-p", "flag=yes"), "flag"),
        (("-p", "text=a", "-p", "kind=z"), "kind"),
        (("-p", "text=a", "-p", "many=[1,2,3,4]"), "many"),
        (("-p", "text=a", "-p", "many=[NaN]"), "many"),
        (("--params", "absent.json"), "absent.json"),
        (("--params", "list.json"), "object"),
        (("--params", "broken.json"), "JSON"),
        (("--params", "."), "cannot be read"),
    ],
)
def test_what_is_no_parameter_of_the_plan_is_refused_and_nothing_is_written(
    person: "Person", words: tuple[str, ...], named: str
) -> None:
    person.write("list.json", "[]")
    person.write("broken.json", '{"text": "a",}')
    refused = person.does("run", person.plan(TYPED), "--json", *words, code=2)
    assert refused.document["error"]["exit"] == 2
    assert named in refused.document["error"]["message"]
    assert not (person.here / ".akm").exists()


def test_an_existing_run_takes_no_parameters(person: "Person") -> None:
    person.parked(SIGN)
    assert "takes no parameters" in person.does("run", "r", "-p", "a=b", code=2).err


@pytest.mark.parametrize(
    "words", [("--max-steps", "0"), ("--max-steps", "x"), ("--timeout", "soon"), ("--timeout", "-1s")]
)
def test_a_limit_that_is_none_is_refused(person: "Person", words: tuple[str, str]) -> None:
    person.does("run", person.plan(GOOD), *words, code=2)
    assert not (person.here / ".akm").exists()
