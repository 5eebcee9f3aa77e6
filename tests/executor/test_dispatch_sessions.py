"""Sessions as real processes: asked and answered by lines, and gone with everything when they break."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from akm.dispatch.process import ProcessEnd
from akm.dispatch.sessions import Broken, SessionRequest, Sessions, Used, request_line
from akm.dispatch.strays import find_strays, token_of

#: Long enough for a loaded machine, in seconds; nothing waits that long unless it fails.
PATIENCE_S = 30.0
SERVER = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    {body}
"""
ECHO = 'print(json.dumps({"attempt": asked["attempt"], "output": [os.getpid(), asked["input"]]}), flush=True)'


class Desk:
    """Asks sessions in one folder, and waits for what they say."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.woken = threading.Event()
        self.sessions = Sessions(self.woken.set)

    def ask(
        self, key: str, body: str, session: str = "w@1", given: object = None, timeout_ms: int = 30_000
    ) -> None:
        """Asks the session, which is a program of this body for each request."""
        work, folder = self.folder / key, self.folder / session
        work.mkdir()
        request = SessionRequest(
            id=session,
            argv=(sys.executable, "-c", SERVER.replace("{body}", body)),
            directory=self.folder,
            environment={"PATH": os.environ["PATH"]},
            secrets=("sesame42",),
            folder=folder,
            token=token_of(folder),
            work=work,
            line=request_line(key, "k", "r", "s", given),
            timeout_ms=timeout_ms,
            output_bytes_max=1000,
        )
        self.sessions.ask(key, request)

    def told(self) -> tuple[str, ProcessEnd] | Broken | Used:
        """What comes next."""
        deadline = time.monotonic() + PATIENCE_S
        while (found := self.sessions.fetch()) is None:
            assert time.monotonic() < deadline
            self.woken.wait(0.05)
            self.woken.clear()
        return found

    def answer(self) -> tuple[str, bytes]:
        """The next answer: whose, and its output."""
        found = self.told()
        assert not isinstance(found, Broken | Used), found
        key, end = found
        assert end.exit_code == 0
        return key, end.stdout.path.read_bytes()

    def broken(self) -> Broken:
        found = self.told()
        assert isinstance(found, Broken), found
        return found

    def left(self) -> bool:
        """Whether anything of the session still runs."""
        return bool(find_strays(token_of(self.folder / "w@1")))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.sessions.drain()


def test_one_process_answers_all_requests(desk: Desk) -> None:
    for key in "abc":
        desk.ask(key, ECHO, given=key)
    answers = dict(desk.answer() for _ in "abc")
    assert {key: text.rpartition(b",")[2] for key, text in answers.items()} == {
        "a": b'"a"]',
        "b": b'"b"]',
        "c": b'"c"]',
    }
    assert len({text.partition(b",")[0] for text in answers.values()}) == 1


def test_a_session_ends_by_itself_when_nobody_asks_any_more(desk: Desk) -> None:
    desk.ask("a", ECHO)
    desk.answer()
    desk.sessions.drain()
    assert not desk.left()


def test_the_next_epoch_begins_once_the_last_is_gone(desk: Desk) -> None:
    desk.ask("a", ECHO)
    _, first = desk.answer()
    desk.ask("b", ECHO, session="w@2")
    assert not desk.left()
    assert desk.answer()[1].partition(b",")[0] != first.partition(b",")[0]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("print('no json', flush=True)", "garbage"),
        ("print(json.dumps({'attempt': 'z'}), flush=True)", "garbage"),
        ("print(json.dumps({'attempt': asked['attempt'], 'exit': 1000}), flush=True)", "garbage"),
        ("print(json.dumps({'attempt': asked['attempt'], 'output': 'x' * 100_000}), flush=True)", "garbage"),
        ("sys.exit(0)", "ended"),
        ("os.kill(os.getpid(), 9)", "ended"),
    ],
)
def test_a_session_that_breaks_loses_what_it_was_asked(desk: Desk, body: str, why: str) -> None:
    desk.ask("a", body)
    found = desk.broken()
    ((key, end),) = found.ends
    assert (found.why, key, end.exit_code, end.signal, end.spawn_error) == (why, "a", None, None, None)
    assert not desk.left()


def test_a_request_that_is_late_times_out_and_takes_the_session_with_it(desk: Desk) -> None:
    desk.ask("a", "time.sleep(1000)", timeout_ms=200)
    desk.ask("b", "")
    ends = dict(desk.broken().ends)
    assert ends["a"].timed_out
    assert ends["a"].stdout.path.read_bytes() == b""
    assert (ends["b"].timed_out, ends["b"].signal) == (False, None)
    assert not desk.left()


def test_stopping_a_request_stops_its_session(desk: Desk) -> None:
    desk.ask("a", "time.sleep(1000)")
    desk.sessions.stop("a")
    ((_, end),) = desk.broken().ends
    assert end.stopped
    assert end.stdout.path.read_bytes() == b""
    assert not desk.left()


def test_a_program_that_is_not_there_has_never_started(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/absent/python")
    desk.ask("a", ECHO)
    ((_, end),) = desk.broken().ends
    assert end.spawn_error == "not_found"


def test_a_request_is_marked_before_it_is_sent(desk: Desk) -> None:
    desk.ask("a", ECHO)
    assert (desk.folder / "a" / "process").exists()
    desk.answer()


def test_secrets_are_masked_in_answers_and_in_standard_error(desk: Desk) -> None:
    desk.ask("a", "print('sesame42', file=sys.stderr, flush=True); " + ECHO, given="say sesame42")
    _, said = desk.answer()
    assert b"sesame42" not in said
    assert b"***" in said
    desk.sessions.drain()
    stderr = desk.folder / "w@1" / "stderr"
    until(lambda: b"***" in stderr.read_bytes())
    assert b"sesame42" not in stderr.read_bytes()


def test_a_session_that_does_not_read_keeps_nobody_waiting(desk: Desk) -> None:
    desk.ask("a", "time.sleep(1000)")
    desk.ask("b", "", given="x" * 1_000_000)
    desk.sessions.stop("b")
    assert {key for key, _ in desk.broken().ends} == {"a", "b"}


USES = """
    for tokens in range(1, 101):
        print(json.dumps({"attempt": asked["attempt"], "usage": {"tokens": tokens}}), flush=True)
"""


def test_what_work_uses_is_told_at_once_then_now_and_then_and_always_before_the_answer(desk: Desk) -> None:
    desk.ask("a", f"{USES}    {ECHO}")
    first = desk.told()
    assert isinstance(first, Used)
    told = [first]
    while isinstance(found := desk.told(), Used):
        told.append(found)
    amounts = [one.usage["tokens"] for one in told]
    assert amounts == sorted(set(amounts))
    assert (amounts[-1], {one.key for one in told}) == (100, {"a"})
    assert len(told) < 50  # each is a commit, so that a hundred lines in a moment are not a hundred
    assert not isinstance(found, Broken)


def test_what_was_used_by_then_is_told_before_a_session_breaks(desk: Desk) -> None:
    desk.ask("a", f"{USES}    sys.exit()")
    told = []
    while isinstance(found := desk.told(), Used):
        told.append(found.usage["tokens"])
    assert told[-1] == 100
    assert isinstance(found, Broken)


def test_a_session_that_never_stops_talking_times_out_all_the_same(desk: Desk) -> None:
    line = 'json.dumps({"attempt": asked["attempt"], "usage": {"tokens": 1}})'
    desk.ask("a", f"while True: print({line}, flush=True)", timeout_ms=1_500)
    while isinstance(found := desk.told(), Used):
        pass
    assert isinstance(found, Broken)
    assert (found.why, desk.left()) == ("timed_out", False)


@pytest.mark.parametrize(
    "said",
    [
        '{"attempt": "b", "usage": {"tokens": 1}}',
        '{"attempt": "a", "usage": 7}',
        '{"attempt": "a", "usage": {}, "output": 1}',
        '{"usage": {"tokens": 1}}',
    ],
)
def test_a_line_about_usage_that_is_none_breaks_the_session(desk: Desk, said: str) -> None:
    desk.ask("a", f"print({said!r}, flush=True)")
    assert desk.broken().why == "garbage"


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
