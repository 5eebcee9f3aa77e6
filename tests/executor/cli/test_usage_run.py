"""An agent that goes on using more and more is stopped at the plan's ceiling, in the middle of its work."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from akm.audit.check import audit
from akm.audit.history import read_export
from akm_specs.canonical import unseal

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

SERVER = """
import json, os, sys, time

def says(asked, **what):
    print(json.dumps({"attempt": asked["attempt"], **what}), flush=True)

def waits():
    while not os.path.exists("go"):
        time.sleep(0.01)

for line in sys.stdin:
    asked, used = json.loads(line), 0
    with open("began", "a") as told:
        told.write("once ")
    while MORE:
        used += 1000
        says(asked, usage={"tokens": used})
        time.sleep(0.01)
    says(asked, output={"outcome": "passed", "usage": {"tokens": used}})
"""
REGISTRY = """tool talker { argv ["python3", "./talker.py"], session, effect read_only, timeout 10m }
agent ann { tool talker }
"""
STEP = 'limits { tokens 50000, duration 1h }\nstep think: agent ann { prompt "Think.", on passed -> completed }'


def talks(person: "Person", more: str) -> str:
    """The plan, whose agent uses more while this is true."""
    person.write("talker.py", SERVER.replace("MORE", more))
    return person.plan(STEP, REGISTRY)


def test_an_agent_that_never_stops_is_stopped_at_the_ceiling(person: "Person") -> None:
    ended = person.told("run", talks(person, "True"), "--id", "r", code=1)
    assert ended["status"] == "failed"
    (stop,) = person.events("budget.exhausted")
    assert (stop["code"], stop["counter"], stop["ceiling"]) == ("budget_exhausted", "limits.tokens", 50_000)
    assert stop["value"] > 50_000
    assert (person.here / "began").read_text() == "once "
    assert person.living() == []
    person.does("verify", "r")
    said = person.does("status", "r").out
    assert "limits.tokens" in said
    assert "declared ceiling of 50000" in said


def test_what_was_used_is_in_the_journal_when_the_engine_is_killed_and_counts_on(person: "Person") -> None:
    engine = person.begins("run", talks(person, "used < 30_000 or waits()"), "--id", "r")
    person.until(lambda: person.akm("status", "r").code == 0)
    person.until(lambda: [one["tokens"] for one in person.events("usage.seen")][-1:] == [30_000])
    person.kills(engine, 0)
    person.lets_go()
    person.does("resume", "r", code=1)
    (stop,) = person.events("budget.exhausted")
    assert (stop["counter"], stop["value"] > 50_000) == ("limits.tokens", True)
    assert (person.here / "began").read_text() == "once once "
    assert person.living() == []
    person.does("verify", "r")


@pytest.mark.parametrize("alter", [{"tokens": 1}, {}])
def test_the_history_checker_counts_what_was_used_too(person: "Person", alter: dict[str, int]) -> None:
    plan = talks(person, "True")
    person.does("run", plan, "--id", "r", code=1)
    frozen = unseal((person.here / plan).read_bytes())
    entries = read_export(person.does("export", "r").out.splitlines())
    assert audit(*frozen, entries) == ()
    last = max(at for at, one in enumerate(entries) if one.name == "usage.seen")
    forged = [replace(one, data={**one.data, **alter}) if at == last else one for at, one in enumerate(entries)]
    faults = [fault for fault in audit(*frozen, tuple(forged)) if "used less than before" in str(fault)]
    assert bool(faults) == bool(alter)


def test_an_agent_that_stays_below_is_counted_once(person: "Person") -> None:
    person.does("run", talks(person, "used < 3_000"), "--id", "r")
    (result,) = (one["result"] for one in person.events("assignment.record_result"))
    assert result["tokens"] == 3_000
    assert person.told("status", "r")["spent"]["tokens"] == 3_000
