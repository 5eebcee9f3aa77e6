"""The delivery example with real git: killed at any moment, refused, and with remotes not as they should be."""

import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Calm, Person

EXAMPLE = ("deliver",)
START = ("run", "deliver.akm", "--id", "r")
BRANCH = "akm/r/push-1"
KILLS = 6

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def committed(person: "Person") -> "Person":
    """The person in a copy of the example, both repositories and their remotes made already."""
    person.copies(*EXAMPLE)
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
    """The example's run, driven to its end."""
    return person.finishes(*START)


def manifest(person: "Person") -> Any:
    return person.told("status", "r")["deliveries"]["push"]


def test_each_remote_has_the_exact_commit_on_a_branch_of_the_run(person: "Person") -> None:
    person.copies(*EXAMPLE)
    facts = finished(person)
    assert facts["status"] == "completed"
    for name, commit in facts["outputs"]["commit"].items():
        assert git("for-each-ref", "--format=%(objectname) %(refname)", directory=remote(person, name)) == (
            f"{commit} refs/heads/{BRANCH}"
        )
    assert manifest(person)["status"] == "completed"


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_delivery_survives_kills_at_random_moments(
    person: "Person", undisturbed: "Calm", seed: str, kill: int
) -> None:
    moment = random.Random(f"{seed} {kill}")
    person.copies(*EXAMPLE)
    for _ in range(2):
        person.kills(person.begins(*START), moment.uniform(0, undisturbed.took_s))
    assert finished(person) == undisturbed.facts
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
