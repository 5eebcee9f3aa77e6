"""Scopes as they are held at a run: who gets which secret, and what an agent's program is told."""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

NAMES = ("ALPHA", "BETA", "GAMMA", "AKM_SCOPE")
#: Tells what it was given, in a file for each step, and as its output, where it is masked.
TELLS = f"""
import json, os, sys
found = {{name: os.environ.get(name) for name in {NAMES!r}}}
with open(os.environ["AKM_STEP"] + ".json", "w") as file:
    json.dump({{**found, "input": json.loads(sys.stdin.read() or "null")}}, file)
print(json.dumps({{"outcome": "passed"}}))
print(found, file=sys.stderr)
"""
#: The same as a session.
ANSWERS = f"""
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    with open(asked["step"] + ".json", "w") as file:
        json.dump({{name: os.environ.get(name) for name in {NAMES!r}}}, file)
    print(json.dumps({{"attempt": asked["attempt"], "output": {{"outcome": "passed"}}}}), flush=True)
"""
REGISTRY = """
tool tells { argv ["python3", "tells.py"], effect read_only, env [GAMMA] }
tool answers { argv ["python3", "answers.py"], effect read_only, env [GAMMA], session }
repository site { directory "site" }
agent wide { tool tells, scope { read [site], secrets [ALPHA, BETA, GAMMA] } }
agent bare { tool tells }
agent talks { tool answers, scope { secrets [ALPHA, BETA] } }
"""
VALUES = {"ALPHA": "alpha-secret", "BETA": "beta-secret", "GAMMA": "gamma-secret"}


def told(person: "Person", step: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((person.here / f"{step}.json").read_text(encoding="utf-8"))
    return found


def given(person: "Person", step: str) -> list[str]:
    """The names of the secrets that a step's process got, with the right values."""
    found = told(person, step)
    return [name for name, value in VALUES.items() if found[name] == value]


def ran(person: "Person", *steps: str) -> "Person":
    """The steps in a row, run to their end."""
    person.write("tells.py", TELLS)
    person.write("answers.py", ANSWERS)
    targets = [*(step.partition(":")[0] for step in steps[1:]), "completed"]
    rows = [f"step {step}\n on passed -> {target} }}" for step, target in zip(steps, targets, strict=True)]
    secrets: Any = VALUES
    ended = person.akm("run", person.plan("\n".join(rows), REGISTRY), "--id", "r", **secrets)
    assert ended.code == 0, ended.err
    return person


def test_a_process_gets_the_secrets_of_its_scope_and_no_other(person: "Person") -> None:
    ran(
        person,
        'whole: agent wide { prompt "x",',
        'less: agent wide { prompt "x", scope { secrets [ALPHA] }',
        'none: agent bare { prompt "x",',
        "plain: exec tells {",
    )
    assert given(person, "whole") == ["ALPHA", "BETA", "GAMMA"]
    assert given(person, "less") == ["ALPHA"], "what only its entry names is withheld, though its tool names it"
    assert given(person, "none") == given(person, "plain") == ["GAMMA"], "what the tool itself needs"


def test_an_agents_program_is_told_its_scope_twice(person: "Person") -> None:
    ran(person, 'whole: agent wide { prompt "x",', 'none: agent bare { prompt "x",')
    scope = told(person, "whole")["input"]["scope"]
    assert (scope["repositories"], scope["secrets"]) == ({"site": "read"}, ["ALPHA", "BETA", "GAMMA"])
    assert json.loads(told(person, "whole")["AKM_SCOPE"]) == scope
    assert told(person, "none")["AKM_SCOPE"] is None


def test_a_session_of_a_narrower_scope_has_fewer_secrets(person: "Person") -> None:
    ran(
        person,
        'wide_talk: agent talks { prompt "x",',
        'less_talk: agent talks { prompt "x", scope { secrets [BETA] }',
    )
    assert given(person, "wide_talk") == ["ALPHA", "BETA", "GAMMA"]
    assert given(person, "less_talk") == ["BETA", "GAMMA"]
    assert json.loads(told(person, "less_talk")["AKM_SCOPE"])["secrets"] == ["BETA"]


def test_secrets_of_scopes_are_masked_in_everything_that_is_kept(person: "Person") -> None:
    ran(person, 'whole: agent wide { prompt "x",')
    kept = [path for path in (person.here / ".akm").rglob("*") if path.is_file()]
    assert [path for path in kept if any(value.encode() in path.read_bytes() for value in VALUES.values())] == []
    assert "***" in (person.here / ".akm/runs/r/whole.1.1/stderr").read_text(encoding="utf-8")


def test_a_secret_of_a_scope_that_is_not_set_stops_the_run_before_its_first_step(person: "Person") -> None:
    person.write("tells.py", TELLS)
    plan = person.plan('step a: agent wide { prompt "x", on passed -> completed }', REGISTRY)
    ended = person.akm("run", plan, "--id", "r", ALPHA="alpha-secret", GAMMA="gamma-secret")
    assert ended.code == 1
    assert "step a: environment variable BETA, a secret of its scope, is not set" in ended.err + ended.out
    assert not (person.here / "a.json").exists()
