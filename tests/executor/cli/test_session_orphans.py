"""Sessions whose engine was killed: they end with their pipe, and where they do not, the next engine ends them."""

import json
from textwrap import indent
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

#: Writes down that it was asked, and answers once it may.
WAITS = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    with open("asked", "a") as file:
        file.write(asked["attempt"] + " " + str(os.getpid()) + chr(10))
    while not os.path.exists("go"):
        time.sleep(0.02)
    print(json.dumps({"attempt": asked["attempt"], "output": {"outcome": "passed"}}), flush=True)
"""
#: Stays when nobody is there any more, beside a process that has left its session.
IGNORES = f"""
import subprocess, time
subprocess.run(["setsid", "-f", "sleep", "300"])
try:
{indent(WAITS, "    ")}
finally:
    time.sleep(300)
"""
REGISTRY = """
tool waits { argv ["python3", "waits.py"], session, effect read_only }
agent ada { tool waits }
"""
ONE = 'step a: agent ada { prompt "x", recover 9, on passed -> completed }'


@pytest.mark.parametrize("program", [WAITS, IGNORES], ids=["ends with its input", "ignores its end"])
def test_after_the_engines_death_no_session_outlives_the_next_engine(person: "Person", program: str) -> None:
    person.write("waits.py", program)
    engine = person.begins("run", person.plan(ONE, REGISTRY), "--id", "r")
    person.until(lambda: (person.here / "asked").exists())
    engine.kill()
    engine.wait()
    person.lets_go()
    assert person.living() or program == WAITS
    assert person.told("resume", "r")["status"] == "completed"
    assert person.living() == []
    person.does("verify", "r")
    attempts = [line.split()[0] for line in (person.here / "asked").read_text(encoding="utf-8").splitlines()]
    assert attempts == ["a#1/1", "a#1/2"]


def test_a_run_that_parks_at_its_limit_leaves_no_request_behind(person: "Person") -> None:
    person.write("waits.py", WAITS)
    person.lets_go()
    steps = """
      step a: agent ada { prompt "x", on passed -> b }
      step b: agent ada { prompt "x", on passed -> completed }
    """
    person.does("run", person.plan(steps, REGISTRY), "--id", "r", "--max-steps", "1", code=4)
    assert person.living() == []
    assert person.told("status", "r")["driver"] is None
    person.does("resume", "r")
    asked = [line.split() for line in (person.here / "asked").read_text(encoding="utf-8").splitlines()]
    assert [attempt for attempt, _ in asked] == ["a#1/1", "b#1/1"]
    assert asked[0][1] != asked[1][1], "each engine has a session of its own"


def test_agents_that_tell_no_usage_are_counted_as_unmetered(person: "Person") -> None:
    person.write("waits.py", WAITS)
    person.lets_go()
    ended = person.does("run", person.plan(ONE, REGISTRY), "--id", "r")
    assert "1 attempts of agents not metered" in ended.out
    assert json.loads(person.does("status", "r", "--json").out)["spent"]["unmetered"] == 1
