"""A store that others hold, that cannot grow, or whose ids are taken: told by name, and nothing is lost."""

import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.executor.cli.test_cli_children import child_of

from akm.journal.store import Store

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

ASKS = """step a: approval { by alice, timeout 1h, on passed -> completed
  on rejected -> failed, on expired -> failed }"""


@contextmanager
def write_transaction(person: "Person") -> Iterator[sqlite3.Connection]:
    """Somebody else writes, and does not end."""
    with closing(sqlite3.connect(person.here / ".akm" / "akm.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other
        other.execute("ROLLBACK")


@pytest.mark.parametrize("words", [("status", "r"), ("list",), ("log", "r"), ("export", "r"), ("verify", "r")])
def test_a_locked_store_can_be_read(person: "Person", words: tuple[str, ...]) -> None:
    person.parked(ASKS)
    before = person.does(*words).out
    with write_transaction(person):
        assert person.does(*words).out == before


def test_a_writer_waits_for_a_locked_store_and_then_does_what_it_was_told(person: "Person") -> None:
    person.parked(ASKS)
    with write_transaction(person):
        waits = person.begins("approve", "r", "a", "--as", "alice")
        with pytest.raises(subprocess.TimeoutExpired):
            waits.wait(2)
        assert person.told("status", "r")["status"] == "waiting"
    _, err = waits.communicate(timeout=60)
    assert (waits.returncode, "Traceback" in err) == (0, False)
    person.does("resume", "r")


@pytest.mark.parametrize("words", [("resume", "r"), ("approve", "r", "a", "--as", "alice")])
def test_a_disk_that_takes_no_more_is_named_and_the_run_goes_on_once_it_does(
    person: "Person", words: tuple[str, ...]
) -> None:
    """No file of the process may grow, as on a full disk."""
    person.parked(ASKS)
    before = person.does("export", "r").out
    akm = shlex.join([sys.executable, "-m", "akm", *words])
    ended = subprocess.run(
        ["sh", "-c", f"ulimit -f 8; exec {akm}"],
        cwd=person.here,
        env=person.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False), ended
    assert "akm.db" in ended.stderr
    assert person.does("export", "r").out == before
    person.does("verify", "r")
    person.does("approve", "r", "a", "--as", "alice")
    person.does("resume", "r")


def test_an_id_that_a_request_has_reserved_is_told(person: "Person") -> None:
    plan = person.plan("step a: exec good { on passed -> completed }")
    person.does("run", plan, "--id", "other")
    with closing(Store(person.here / ".akm", create=False)) as store:
        store.requests().queue("key", {"workflow": "work"})
        store.requests().offer("key")
        store.requests().accept("key", "r")
    ended = person.does("run", plan, "--id", "r", code=2)
    assert "run id r is reserved for request 'key'" in ended.err
    assert [one["run_id"] for one in person.told("list")] == ["other"]


def test_a_parent_is_shown_while_its_child_is_driven_alone(person: "Person") -> None:
    child, _ = child_of(person, code=4)
    person.does("approve", child, "ok", "--as", "alice")
    person.does("resume", child)
    told = person.told("status", "r")
    assert told["status"] in ("running", "waiting")
    assert f"{child} (child): completed" in person.does("status", "r").out
    person.does("resume", "r")
    person.does("verify", "r")
