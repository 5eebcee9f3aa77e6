"""The delivery example with real git: killed at any moment, refused, and with remotes not as they should be."""

import os
import random
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.executor.cli.conftest import Person

EXAMPLE = Path(__file__).parents[3] / "specs" / "workflows" / "deliver"
START = ("run", "deliver.akm", "--id", "r")
BRANCH = "akm/r/push-1"
KILLS = 6
#: Repeats the moments of an earlier session, which printed it.
SEED = "AKM_TEST_SEED"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def copied(person: "Person") -> "Person":
    """The person in a copy of the example, with its `python` on PATH."""
    shutil.copytree(EXAMPLE, person.here, ignore=shutil.ignore_patterns("__pycache__", ".akm"), dirs_exist_ok=True)
    person.environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{person.environment['PATH']}"
    return person


def committed(person: "Person") -> "Person":
    """As `copied`, with both repositories and their remotes made already."""
    copied(person)
    script, note = [sys.executable, "tools/commit.py"], b'{"note": "A page about tides."}'
    subprocess.run(script, cwd=person.here, input=note, check=True, capture_output=True)
    return person


def remote(person: "Person", name: str) -> Path:
    return person.here / "remotes" / f"{name}.git"


def git(*words: str, directory: Path) -> str:
    """What `git WORDS` says in `directory`."""
    told = subprocess.run(["git", *words], cwd=directory, check=True, capture_output=True, text=True)
    return told.stdout.strip()


def refuse(person: "Person", name: str, script: str) -> None:
    """A remote that asks this script before it takes anything."""
    hook = remote(person, name) / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)


def finished(person: "Person") -> dict[str, Any]:
    """What has to be the same, whatever happened on the way."""
    ended = person.told(*START)
    return {name: ended[name] for name in ("status", "outcome", "outputs", "digest", "plan_hash")}


def manifest(person: "Person") -> Any:
    return person.told("status", "r")["deliveries"]["push"]


@pytest.fixture(scope="module")
def undisturbed(
    person_in: "Callable[[Path], Person]", tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[dict[str, Any], float]]:
    """The facts of a delivery that nobody kills, and how long it took in seconds."""
    person = copied(person_in(tmp_path_factory.mktemp("undisturbed") / "here"))
    began = time.monotonic()
    facts = finished(person)
    yield facts, time.monotonic() - began
    person.leaves()


def test_each_remote_has_the_exact_commit_on_a_branch_of_the_run(person: "Person") -> None:
    facts = finished(copied(person))
    assert facts["status"] == "completed"
    for name, commit in facts["outputs"]["commit"].items():
        assert git("for-each-ref", "--format=%(objectname) %(refname)", directory=remote(person, name)) == (
            f"{commit} refs/heads/{BRANCH}"
        )
    assert manifest(person)["status"] == "completed"


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_delivery_survives_kills_at_random_moments(
    person: "Person", undisturbed: tuple[dict[str, Any], float], kill: int
) -> None:
    facts, within_s = undisturbed
    seed = os.environ.get(SEED) or str(secrets.randbits(32))
    print(f"{SEED}={seed}")
    moment = random.Random(f"{seed} {kill}")
    copied(person)
    for _ in range(2):
        engine = person.begins(*START)
        time.sleep(moment.uniform(0, within_s))
        engine.kill()
        engine.wait()
    assert finished(person) == facts
    person.does("verify", "r")
    assert person.living() == []


def test_a_hook_that_refuses_leaves_the_delivery_partial(person: "Person") -> None:
    refuse(committed(person), "docs", "echo not today; exit 1")
    person.does(*START, code=1)
    found = manifest(person)
    assert found["status"] == "partial"
    assert {name: one["status"] for name, one in found["repositories"].items()} == {
        "site": "delivered",
        "docs": "failed",
    }
    codes = [one["result"]["code"] for one in person.events("assignment.record_result")]
    assert codes.count("push_refused") == 2, "once, and once again as a remediation"


def test_a_remediation_delivers_what_was_refused_once(person: "Person") -> None:
    refuse(committed(person), "docs", "test -e asked || { touch asked; exit 1; }")
    person.does(*START)
    assert manifest(person)["status"] == "completed"


def test_a_remote_that_is_not_there_stops_the_delivery_before_anything_is_pushed(person: "Person") -> None:
    committed(person)
    registry = person.here / "registry.akm"
    registry.write_text(registry.read_text().replace("remotes/docs.git", "remotes/gone.git"))
    person.does(*START, code=1)
    assert "gives no answer" in manifest(person)["problem"]
    assert git("for-each-ref", directory=remote(person, "site")) == ""


def test_a_branch_that_is_there_with_another_commit_is_left_alone(person: "Person") -> None:
    committed(person)
    work, there = person.here / "work" / "docs", remote(person, "docs")
    git("push", "--quiet", str(there), f"HEAD:refs/heads/{BRANCH}", directory=work)
    taken = git("for-each-ref", directory=there)
    person.does(*START, "-p", "note=Another page.", code=1)
    assert "another commit" in manifest(person)["problem"]
    assert git("for-each-ref", directory=there) == taken
    assert git("for-each-ref", directory=remote(person, "site")) == ""


def test_a_branch_that_somebody_makes_meanwhile_is_not_moved(person: "Person") -> None:
    committed(person)
    work, there = person.here / "work" / "site", remote(person, "docs")
    other = git("rev-parse", "HEAD", directory=work)
    git("push", "--quiet", str(there), f"{other}:refs/heads/x", directory=work)
    outside = f'env -i PATH="$PATH" git --git-dir={there}'  # a hook itself may not move anything
    refuse(person, "docs", f"exec {outside} update-ref refs/heads/{BRANCH} {other}")
    person.does(*START, code=1)
    assert manifest(person)["status"] == "partial"
    assert git("rev-parse", f"refs/heads/{BRANCH}", directory=there) == other


def test_settings_and_hooks_of_the_person_change_nothing(person: "Person") -> None:
    committed(person)
    home = person.here / "home"
    home.mkdir()
    (home / ".gitconfig").write_text('[url "/nowhere/"]\n\tinsteadOf = ../../remotes/\n')
    person.environment["HOME"] = str(home)
    hook = person.here / "work/site/.git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    person.does(*START)
