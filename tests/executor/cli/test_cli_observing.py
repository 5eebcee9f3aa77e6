"""What is seen of a run: structured logs, a report for test tools, why nobody can go on, what was delivered."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Ended, Person

JunitFaults = Callable[[ElementTree.Element], list[str]]
STEPS = """
  step first: exec good { on passed -> second }
  step second: exec bad { on failed -> third, on passed -> failed }
  step third: approval { by alice, timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed }
"""


def logged(ended: "Ended") -> list[dict[str, object]]:
    return [json.loads(line) for line in ended.err.splitlines()]


def test_each_event_is_a_line_of_json_on_standard_error(person: "Person") -> None:
    words = ("run", person.plan(STEPS), "--id", "r", "--log-format", "json", "--json")
    ended = person.does(*words, code=4)
    lines = logged(ended)
    recorded = person.told("log", "r")[1:]  # the birth was recorded before anybody watched
    assert [(line["sequence"], line["event"], line["entity"]) for line in lines] == [
        (event["sequence"], event["event"], event["entity"]) for event in recorded
    ]
    assert {line["run"] for line in lines} == {"r"}
    assert {"info", "error"} <= {str(line["level"]) for line in lines}
    assert ended.document["status"] == "waiting"


def test_logs_hold_no_output_and_no_parameter(person: "Person") -> None:
    plan = person.plan("step a: exec say { output { n: int }, on passed -> completed }")
    ended = person.does("run", plan, "--id", "r", "--log-format", "json")
    assert '"n"' in json.dumps(person.told("log", "r"))
    assert '"n"' not in ended.err


def test_a_fault_is_a_line_of_json_too(person: "Person") -> None:
    refused = person.does("run", "nowhere.akm", "--log-format", "json", code=2)
    (line,) = logged(refused)
    assert (line["level"], line["event"], line["exit"]) == ("error", "fault", 2)


def test_text_is_what_a_person_gets(person: "Person") -> None:
    ended = person.does("run", person.plan(STEPS), code=4)
    assert "✓ first#1 passed" in ended.err


def test_a_run_is_a_valid_junit_report(person: "Person", junit_faults: JunitFaults) -> None:
    person.parked(STEPS)
    root = ElementTree.fromstring(person.does("report", "r").out)
    assert junit_faults(root) == []
    (suite,) = root
    assert [suite.get(name) for name in ("name", "package", "tests", "failures", "errors", "skipped")] == [
        "r",
        "work",
        "3",
        "1",
        "0",
        "1",
    ]
    cases = {str(case.get("name")): [child.tag for child in case] for case in suite.iter("testcase")}
    assert cases == {"first#1": [], "second#1": ["failure"], "third#1": ["skipped"]}
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == "exit_1"
    assert person.does("report", "r").out == person.does("report", "r").out


def test_what_cannot_be_proven_is_an_error_of_the_report(person: "Person", junit_faults: JunitFaults) -> None:
    engine = person.holds("step pay: exec pay { on passed -> completed }")
    engine.send_signal(signal.SIGINT)
    assert engine.wait(timeout=60) == 130
    document = person.told("report", "r")
    root = ElementTree.fromstring(document["report"])
    assert junit_faults(root) == []
    error = root.find("testsuite/testcase/error")
    assert error is not None
    assert error.get("type") == "blocked_uncertain"


#: An akm that works input hashes out in another way, as another version of it might.
OTHER_AKM = """
import sys
from akm.cli import main
from akm.kernel import inputs
inputs.HASH_VERSION += 1
sys.exit(main(sys.argv[1:]))
"""


def test_status_shows_what_diverged_without_a_look_into_logs(person: "Person") -> None:
    engine = person.holds("step hold: exec hold { recover 3, on passed -> completed }")
    person.kills(engine, 0)
    for folder in (person.here / ".akm" / "runs" / "r").glob("hold*"):
        shutil.rmtree(folder)  # nothing of the attempt is found, so that it would be started anew
    command = [sys.executable, "-c", OTHER_AKM, "resume", "r", "--json"]
    ended = subprocess.run(
        command, cwd=person.here, env=person.environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 7
    told = json.loads(ended.stdout)["error"]
    found = person.told("status", "r")["divergence"]
    assert (found["code"], found["unit"]) == ("replay_divergence", "hold#1")
    assert (found["expected_hash"], found["found_hash"]) == (told["expected"], told["found"])
    assert found["plan_hash"] == person.told("status", "r")["plan_hash"]
    assert f"diverged  hold#1: replay_divergence at event {found['sequence']}" in person.does("status", "r").out
    person.write("go", "")
    person.does("resume", "r")  # by the akm that works them out as before
    assert person.told("status", "r")["divergence"] is None
