"""`akm run --simulate`: a script stands in for the tools, and no record of that can read as a real one."""

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from akm.audit.check import audit
from akm.audit.history import read_export
from akm_specs.canonical import unseal

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

DIGITS = "a" * 64
RELEASE: dict[str, Any] = {
    "test": [{"outcome": "failed"}, {"outcome": "passed"}],
    "fix": {"outcome": "passed", "output": {"summary": "an index was off by one"}},
    "build": {"outcome": "passed", "output": {"wheel": "dist/made.whl", "sha256": DIGITS}},
    "publish": {"timed_out": True, "receipt": {"found": True, "receipt": {"file": "made.whl", "sha256": DIGITS}}},
}
#: Would leave a mark if any of it were started.
MARKS = 'tool mark { argv ["touch", "marked"], effect read_only, timeout 5s }\n'
STEPS = """
  step first: exec mark { exit 3 -> odd, attempts 2, on passed -> second, on odd -> completed }
  step second: gate mark { expect fail, on passed -> third }
  step third: gate artifacts_exist ["nowhere"] { on passed -> completed }
"""
SCRIPT: dict[str, Any] = {"first": {"exit": 0}, "second": {"outcome": "passed"}, "third": {"holds": True}}


def scripted(person: "Person", script: object) -> str:
    person.write("script.json", json.dumps(script))
    return "script.json"


def test_a_simulated_run_parks_resumes_and_ends_by_its_script_alone(person: "Person") -> None:
    person.copies("release")
    script = scripted(person, RELEASE)
    person.does("run", "release.akm", "-p", "version=1.0.0", "--id", "r", "--simulate", script, code=4)
    (person.here / script).unlink()  # the run has its own copy
    person.does("approve", "r", "approve", "--as", "alice")
    ended = person.told("resume", "r")
    assert (ended["status"], ended["outputs"]["publish"]["file"]) == ("completed", "made.whl")
    assert [each["target"] for each in person.events("transition.taken")][:3] == ["fix", "test", "build"]
    assert not (person.here / "package" / "dist").exists()
    person.does("verify", "r")


def test_every_record_of_a_simulated_run_says_so_and_none_of_a_real_one(person: "Person") -> None:
    plan = person.plan(STEPS, MARKS)
    person.does("run", plan, "--id", "r", "--simulate", scripted(person, SCRIPT))
    assert all(event["data"]["simulated"] is True for event in person.told("log", "r"))
    assert person.told("status", "r")["simulated"] is True
    assert not (person.here / "marked").exists()
    person.does("run", plan, "--id", "real", code=1)  # `second` expects a failure
    assert (person.here / "marked").exists()
    assert all(not event["data"].get("simulated") for event in person.told("log", "real"))


def test_the_history_checker_takes_a_simulated_history_and_no_mixed_one(person: "Person") -> None:
    person.copies("release")
    words = ("run", "release.akm", "-p", "version=1.0.0", "--id", "r", "--simulate", scripted(person, RELEASE))
    person.does(*words, code=4)
    command = [sys.executable, "-m", "akmc", "compile", "release.akm", "-o", "frozen.json"]
    subprocess.run(command, cwd=person.here, check=True, capture_output=True, timeout=60)
    plan = unseal((person.here / "frozen.json").read_bytes())
    lines = person.does("export", "r").out.splitlines()
    assert audit(*plan, read_export(lines)) == ()
    mixed = [line.replace('"simulated":true,', "") if '"transition.taken"' in line else line for line in lines]
    assert "shape" in {found.name for found in audit(*plan, read_export(mixed))}


def test_children_are_scripted_too(person: "Person") -> None:
    person.copies("handbook")
    bundle = {
        "pack": {"outcome": "passed", "output": {"archive": "a.tar", "sha256": DIGITS}},
        "inspect": {"exit": 0},
    }
    script = {
        "site": {"steps": bundle},
        "notes": {"steps": bundle},
        "contents": {"outcome": "passed", "output": {"files": [], "bytes": 0}},
    }
    ended = person.told("run", "handbook.akm", "--id", "r", "--simulate", scripted(person, script))
    assert ended["status"] == "completed"
    family = [each["run_id"] for each in person.told("list")]
    assert len(family) == 3
    assert all(person.told("status", run)["simulated"] for run in family)
    person.does("verify")


def test_a_delivery_is_scripted_by_repository_and_pushes_nothing(person: "Person") -> None:
    person.copies("deliver")
    commits = {"site": "1" * 40, "docs": "2" * 40}
    script = {
        "commit": {"outcome": "passed", "output": commits},
        "push": {"outcome": "passed"},
        "push#1:docs": {"outcome": "failed"},
        "push#1:docs~2": {"outcome": "failed"},  # the round that was to mend it
    }
    words = ("run", "deliver.akm", "--id", "r", "--simulate", scripted(person, script))
    person.does(*words, code=1)
    shares = person.told("status", "r")["deliveries"]["push"]["repositories"]
    assert {name: share["status"] for name, share in shares.items()} == {"site": "delivered", "docs": "failed"}
    person.does("verify", "r")


def test_where_the_script_ends_nothing_is_made_up(person: "Person") -> None:
    steps = "step again: exec mark { attempts 3, exit 3 -> odd, on passed -> completed, on odd -> again max 2 }"
    steps = f"limits {{ transitions 9 }}\n{steps}"
    plan = person.plan(steps, MARKS)
    script = scripted(person, {"again": [{"outcome": "odd"}]})
    person.does("run", plan, "--id", "r", "--simulate", script, code=1)
    assert [each["result"]["code"] for each in person.events("assignment.record_result")] == [
        "exit_3",
        "not_scripted",
    ]


def test_one_id_is_not_for_a_simulated_run_and_a_real_one(person: "Person") -> None:
    plan, script = person.plan(STEPS, MARKS), scripted(person, SCRIPT)
    person.does("run", plan, "--id", "r", "--simulate", script)
    person.does("run", plan, "--id", "r", "--simulate", script)  # the very same
    assert "another --id" in person.does("run", plan, "--id", "r", code=2).err
    assert "goes on as it began" in person.does("run", "r", "--simulate", script, code=2).err


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ([], "names steps"),
        ({**SCRIPT, "fourth": {"exit": 0}}, "fourth: the plan has no work"),
        ({**SCRIPT, "first#1/1": {"exit": 0}}, "the plan has no work"),
        ({"first": {"exit": 0}, "third": {"holds": True}}, "second: the script does not say"),
        ({**SCRIPT, "first": {"outcome": "splendid"}}, "'splendid' is no outcome"),
        ({**SCRIPT, "first": {"exit": 0, "signal": 9}}, "exactly one"),
        ({**SCRIPT, "first": {"output": 1}}, "exactly one"),
        ({**SCRIPT, "first": {"exit": "0"}}, "a whole number"),
        ({**SCRIPT, "first": {"exit": 0, "takes": "1s"}}, "takes: unknown"),
        ({**SCRIPT, "first": {"reply": "{}"}}, "does not end with `reply`"),
        ({**SCRIPT, "first": {"signal": 9, "output": 1}}, "leaves no output"),
        ({**SCRIPT, "third": {"holds": 1}}, "true or false"),
    ],
)
def test_a_script_that_does_not_fit_the_plan_is_refused_before_there_is_a_run(
    person: "Person", script: object, why: str
) -> None:
    refused = person.does("run", person.plan(STEPS, MARKS), "--simulate", scripted(person, script), code=2)
    assert why in refused.err
    assert not (person.here / ".akm").exists()


def test_what_is_no_json_file_is_refused_by_name(person: "Person") -> None:
    plan = person.plan(STEPS, MARKS)
    person.write("script.json", '{"first": {"exit": 0}, "first": {"exit": 1}}')
    assert "stands twice" in person.does("run", plan, "--simulate", "script.json", code=2).err
    assert "cannot be read" in person.does("run", plan, "--simulate", "none.json", code=2).err


def test_an_engine_that_is_not_built_in_is_named(person: "Person") -> None:
    refused = person.does("run", person.plan(STEPS, MARKS), "--engine", "temporal", code=2)
    assert "no adapter to a Temporal cluster" in refused.err
