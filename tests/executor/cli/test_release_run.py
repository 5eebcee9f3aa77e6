"""The release example when its engine is killed: it completes, publishes once, and does what it would have done."""

import random
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from akmc.pipeline import compile_workflow
from akmc.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.executor.cli.conftest import Person

EXAMPLE = Path(__file__).parents[3] / "specs" / "workflows" / "release"
START = ("run", "release.plan.json", "-p", "version=1.4.0", "--id", "r")
KILLS = 20


def copied(person: "Person") -> "Person":
    """The person, with the example frozen to work on, and its `python` on PATH."""
    person.copies("release", "dist", "index", "*.plan.json")
    plan = compile_workflow(Source.read(str(EXAMPLE / "release.akm")), Source.read(str(EXAMPLE / "registry.akm")))
    (person.here / "release.plan.json").write_bytes(plan.data)
    return person


@pytest.fixture
def release(person: "Person") -> "Person":
    """A person in a copy of the example."""
    return copied(person)


def parked_and_approved(person: "Person") -> None:
    """The run waits to publish."""
    person.does(*START, code=4)
    person.does("approve", "r", "approve", "--as", "alice")


def finished(person: "Person") -> dict[str, Any]:
    """Type what a person would until the run has ended; what has to be the same, whatever happened on the way."""
    if not (person.here / ".akm" / "akm.db").exists() or not person.told("list"):
        person.does(*START, code=4)  # the engine had not even made the run
    while (ended := person.akm("resume", "r", "--json")).code == 4:
        person.akm("approve", "r", "approve", "--as", "alice")
    assert ended.code == 0, ended
    page = person.here / "index" / "slugs" / "index.html"
    return {
        **{name: ended.document[name] for name in ("status", "outcome", "outputs", "digest", "plan_hash")},
        "published": re.findall(r'<a href="([^"#]+)', page.read_text(encoding="utf-8")),
    }


class Undisturbed:
    """The release when nothing goes wrong: its facts, and how long it takes to park and to publish, in seconds."""

    def __init__(self, person: "Person") -> None:
        began = time.monotonic()
        person.does(*START, code=4)
        parked = time.monotonic()
        person.does("approve", "r", "approve", "--as", "alice")
        approved = time.monotonic()
        self.facts = finished(person)
        self.park_s, self.publish_s = parked - began, time.monotonic() - approved


@pytest.fixture(scope="module")
def undisturbed(
    person_in: "Callable[[Path], Person]", tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Undisturbed]:
    """One release that nobody kills."""
    person = copied(person_in(tmp_path_factory.mktemp("undisturbed") / "here"))
    yield Undisturbed(person)
    person.leaves()


def check(person: "Person", undisturbed: Undisturbed) -> None:
    """Nothing tells the run from an undisturbed one, once it has ended; nothing is left of it."""
    assert finished(person) == undisturbed.facts
    person.does("verify", "r")
    assert person.living() == []


def test_an_undisturbed_release_publishes_one_wheel(undisturbed: Undisturbed) -> None:
    assert undisturbed.facts["status"] == "completed"
    assert undisturbed.facts["published"] == ["slugs-1.4.0-py3-none-any.whl"]


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_release_survives_a_kill_at_a_random_moment(
    release: "Person", undisturbed: Undisturbed, seed: str, kill: int
) -> None:
    moment = random.Random(f"{seed} {kill}")
    if moment.random() < 0.5:
        engine, within_s = release.begins(*START), undisturbed.park_s
    else:
        parked_and_approved(release)
        engine, within_s = release.begins("resume", "r"), undisturbed.publish_s
    release.kills(engine, moment.uniform(0, within_s))
    check(release, undisturbed)


def test_a_release_survives_one_kill_after_the_other(
    release: "Person", undisturbed: Undisturbed, seed: str
) -> None:
    moment = random.Random(seed)
    for _ in range(4):
        release.kills(release.begins(*START), moment.uniform(0, undisturbed.park_s))
    check(release, undisturbed)


def test_an_engine_killed_while_it_publishes_does_not_publish_again(
    release: "Person", undisturbed: Undisturbed
) -> None:
    parked_and_approved(release)
    engine = release.begins("resume", "r")
    release.until(lambda: list((release.here / "index").glob("*/*.part")))
    engine.kill()
    engine.wait()
    check(release, undisturbed)
    told = [event["event"] for event in release.told("log", "r")]
    assert "attempt.reattach" in told
    assert "assignment.retry" not in told


def test_what_is_signed_off_is_what_is_published(release: "Person") -> None:
    release.does(*START, code=4)
    (wheel,) = (release.here / "dist").glob("*.whl")
    release.does("approve", "r", "approve", "--as", "alice")
    wheel.write_bytes(b"another wheel")
    assert release.told("resume", "r", code=1)["outcome"] == "failed"
    assert not list((release.here / "index").rglob("*.whl"))


def test_a_release_that_is_interrupted_while_it_publishes_goes_on(
    release: "Person", undisturbed: Undisturbed
) -> None:
    parked_and_approved(release)
    engine = release.begins("resume", "r")
    release.until(lambda: list((release.here / "index").glob("*/*.part")))
    engine.send_signal(signal.SIGTERM)
    assert engine.wait(60) == 130
    assert release.living() == []
    check(release, undisturbed)
