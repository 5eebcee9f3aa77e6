"""Real processes: how they start, end, are cut off, and that nothing of them is left."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from akm.dispatch import processes
from akm.dispatch.environment import tool_environment
from akm.dispatch.found import MaybeStarted, NeverStarted, Supervised, look
from akm.dispatch.host import host_table
from akm.dispatch.identity import ProcessIdentity, is_alive
from akm.dispatch.processes import ProcessEnd, Processes, ProcessRequest

DEADLINE_S = 30.0

only_adopting = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt orphans")

#: A daemon that nothing but adoption finds: its own session, another parent, no environment, deaf to SIGTERM,
#: and it keeps standard output open. It writes its pid once it is deaf.
DAEMON = """
    import os, signal, sys, time
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with open(sys.argv[1], "w") as file:
        file.write(str(os.getpid()))
    while True:
        time.sleep(1)
"""

#: A program that leaves its session and ignores SIGTERM. It writes its pid once it does.
DEAF = (
    "import os, signal, time; os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    'open("deaf", "w").write(str(os.getpid())); time.sleep(600)'
)


def poll(found: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not found():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.005)


def runs(pid: int) -> bool:
    row = host_table().row(pid)
    return row is not None and not row.ended


def pid_in(path: Path) -> int:
    """The pid in a file that some process is about to write, with or without a line end."""
    poll(lambda: path.exists() and path.read_text() != "", f"{path.name} is written")
    return int(path.read_text())


class Bench:
    """A folder for attempts, the processes under test, and a way to wait for their ends."""

    def __init__(self, folder: Path, grace_ms: int = 500) -> None:
        self.folder = folder
        self.processes = Processes(grace_ms)
        self._count = 0

    def request(self, *argv: str) -> ProcessRequest:
        self._count += 1
        return ProcessRequest(
            argv=argv,
            directory=self.folder,
            stdin=None,
            environment=tool_environment((), os.environ).variables,
            secrets=(),
            timeout_ms=60_000,
            output_bytes_max=8 * 1024 * 1024,
            folder=self.folder / f"attempt.{self._count}",
            work=f"r a#1/{self._count}",
            token=f"{self.folder}/{self._count}",
        )

    def shell(self, script: str) -> ProcessRequest:
        return self.request("/bin/sh", "-c", script)

    def python(self, script: str, *arguments: str) -> ProcessRequest:
        return self.request(sys.executable, "-c", dedent(script), *arguments)

    def start(self, request: ProcessRequest) -> str:
        self.processes.start(request.token, request)
        return request.token

    def ended(self) -> tuple[str, ProcessEnd]:
        end = self.processes.wait(DEADLINE_S)
        assert end is not None, "nothing has ended"
        return end

    def run(self, request: ProcessRequest) -> ProcessEnd:
        key = self.start(request)
        ended, end = self.ended()
        assert ended == key
        return end


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    assert made.processes.drain() == ()
    made.processes.close()


# how it ends


def test_exit_codes_are_told_as_they_are(bench: Bench) -> None:
    assert [bench.run(bench.shell(f"exit {code}")).exit_code for code in (0, 1, 77, 255)] == [0, 1, 77, 255]


def test_a_signal_that_ends_the_process_is_told_and_is_no_exit_code(bench: Bench) -> None:
    end = bench.run(bench.shell("kill -KILL $$"))
    assert (end.exit_code, end.signal) == (None, signal.SIGKILL)
    assert not end.timed_out
    assert not end.stopped


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("no-such-program-anywhere",), "not_found"),
        (("./missing.sh",), "not_found"),
        (("./plain.txt",), "not_executable"),
        (("/bin/true", "x" * 4_000_000), "argument_list_too_long"),
        (("/bin/true", "a\0b"), "spawn_failed"),
    ],
)
def test_what_cannot_start_says_why_and_is_never_started_by_anybody(
    bench: Bench, argv: tuple[str, ...], code: str
) -> None:
    (bench.folder / "plain.txt").write_text("text")
    request = bench.request(*argv)
    end = bench.run(request)
    assert (end.spawn_error, end.exit_code, end.signal) == (code, None, None)
    assert look(request.folder) == NeverStarted(code)
    assert bench.run(replace(request, argv=("/bin/true",))).spawn_error == code


def test_a_missing_directory_and_an_unusable_folder_have_their_own_words(bench: Bench) -> None:
    missing = replace(bench.shell("true"), directory=bench.folder / "nowhere")
    assert bench.run(missing).spawn_error == "directory_missing"
    (bench.folder / "a-file").write_text("")
    unusable = replace(bench.shell("touch ran"), folder=bench.folder / "a-file" / "attempt")
    assert bench.run(unusable).spawn_error == "folder_unusable"
    assert not (bench.folder / "ran").exists()


def recorded(request: ProcessRequest) -> Supervised:
    found = look(request.folder)
    assert isinstance(found, Supervised), found
    return found


def identity(process: ProcessIdentity | None) -> ProcessIdentity:
    assert process is not None
    return process


def test_the_record_names_the_very_process_and_who_supervises_it_and_how_it_ended(bench: Bench) -> None:
    request = bench.shell("echo $$ $PPID; sleep 0.3")
    end = bench.run(request)
    found = recorded(request)
    pid, parent = map(int, (request.folder / "stdout").read_text().split())
    assert (identity(found.process).pid, found.supervisor.pid) == (pid, parent)
    assert (found.work, found.token, found.fence) == (request.work, request.token, 1)
    assert found.end == end


def test_the_record_is_there_before_the_process_is_and_a_part_of_a_line_proves_nothing(bench: Bench) -> None:
    request = bench.request("/bin/sh", "-c", 'test -s "$1/process"', "sh", "")
    request = replace(request, argv=(*request.argv[:-1], str(request.folder)))
    assert bench.run(request).exit_code == 0
    whole = (request.folder / "process").read_bytes()
    (request.folder / "process").write_bytes(whole[:-10])
    assert recorded(request).end is None
    (request.folder / "process").write_bytes(whole[:10])
    assert isinstance(look(request.folder), MaybeStarted)


def test_a_record_whose_output_is_not_all_there_has_no_end(bench: Bench) -> None:
    request = bench.shell("echo text")
    bench.run(request)
    (request.folder / "stdout").write_text("tex")
    assert recorded(request).end is None


def test_nothing_is_started_twice_for_one_folder(bench: Bench) -> None:
    request = bench.shell("echo ran >> ran")
    first = bench.run(request)
    assert bench.run(request) == first
    assert (bench.folder / "ran").read_text() == "ran\n"


def test_a_supervisor_serves_one_process_after_the_other(bench: Bench) -> None:
    requests = [bench.shell("true") for _ in range(3)]
    for request in requests:
        bench.run(request)
    assert len({recorded(request).supervisor for request in requests}) == 1


def test_a_supervisor_that_died_between_two_processes_is_replaced(bench: Bench) -> None:
    first, second = bench.shell("true"), bench.shell("exit 3")
    bench.run(first)
    os.kill(recorded(first).supervisor.pid, signal.SIGKILL)
    poll(lambda: not is_alive(recorded(first).supervisor), "it is gone")
    assert bench.run(second).exit_code == 3


def test_the_end_of_a_process_whose_supervisor_was_killed_is_unknown_and_all_of_it_is_stopped(bench: Bench) -> None:
    bench.start(bench.shell("echo $$ > tool; sleep 600 & kill -KILL $PPID; exec sleep 600"))
    _, end = bench.ended()
    assert (end.exit_code, end.signal, end.spawn_error, end.survivors) == (None, None, None, ())
    assert not runs(pid_in(bench.folder / "tool"))
    assert bench.run(bench.shell("exit 4")).exit_code == 4


def test_an_inherited_ignore_of_sigchld_does_not_turn_a_failure_into_a_success(tmp_path: Path) -> None:
    driver = f"""
        from pathlib import Path
        from akm.dispatch.processes import Processes, ProcessRequest
        here = Path({str(tmp_path)!r})
        argv = ("/bin/sh", "-c", "exit 3")
        request = ProcessRequest(argv, here, None, {{}}, (), 9000, 9000, here / "a", "w", "t")
        processes = Processes()
        processes.start("key", request)
        print(processes.wait(9)[1].exit_code)
        processes.close()
    """
    ignoring = ("/bin/sh", "-c", 'trap "" CHLD; exec "$@"', "sh", sys.executable, "-c", dedent(driver))
    ended = subprocess.run(ignoring, capture_output=True, text=True, timeout=DEADLINE_S)
    assert (ended.stdout, ended.stderr) == ("3\n", "")


@pytest.mark.parametrize("ignored", ["HUP", "INT"])
def test_a_signal_that_our_caller_ignores_is_ignored_in_the_process_and_no_other(
    tmp_path: Path, ignored: str
) -> None:
    driver = f"""
        from pathlib import Path
        from akm.dispatch.processes import Processes, ProcessRequest
        here = Path({str(tmp_path)!r})
        argv = ("/bin/sh", "-c", "grep SigIgn /proc/self/status; grep SigBlk /proc/self/status")
        processes = Processes()
        environment = {{"PATH": "/usr/bin:/bin"}}
        request = ProcessRequest(argv, here, None, environment, (), 9000, 9000, here / "a", "w", "t")
        processes.start("key", request)
        processes.wait(9)
        processes.close()
    """
    if not os.path.exists("/proc/self/status"):
        pytest.skip("needs /proc")
    ignoring = ("/bin/sh", "-c", f'trap "" {ignored}; exec "$@"', "sh", sys.executable, "-c", dedent(driver))
    subprocess.run(ignoring, check=True, timeout=DEADLINE_S)
    masks = [int(line.split()[1], 16) for line in (tmp_path / "a" / "stdout").read_text().splitlines()]
    beyond = (1 << 31) - 1  # the C library keeps two signals above these for itself
    assert [mask & beyond for mask in masks] == [1 << (getattr(signal, f"SIG{ignored}") - 1), 0]


# what it is given


def test_standard_input_is_empty_unless_given(bench: Bench) -> None:
    request = bench.shell("cat; echo end")
    bench.run(request)
    assert (request.folder / "stdout").read_text() == "end\n"


def test_standard_input_is_the_given_bytes_however_large_and_however_little_is_read(bench: Bench) -> None:
    given = json.dumps({"text": "x" * 1_000_000}).encode()
    whole = replace(bench.shell("cat"), stdin=given)
    assert bench.run(whole).exit_code == 0
    assert (whole.folder / "stdout").read_bytes() == given
    ignored = replace(bench.shell("exit 4"), stdin=given)
    assert bench.run(ignored).exit_code == 4


def test_the_environment_is_what_was_given_and_a_token_and_no_more(bench: Bench) -> None:
    request = replace(bench.request("/usr/bin/env"), environment={"GREETING": "hello"})
    bench.run(request)
    lines = (request.folder / "stdout").read_text().splitlines()
    assert sorted(lines) == [f"AKM_PROCESS_TOKEN={request.token}", "GREETING=hello"]


def test_no_descriptor_of_ours_is_inherited(bench: Bench) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    end = bench.run(bench.shell(f"(echo leaked >&{writer}) 2>/dev/null && exit 9; exit 0"))
    os.close(reader)
    os.close(writer)
    assert end.exit_code == 0


def test_it_leads_a_session_and_group_of_its_own(bench: Bench) -> None:
    request = bench.python("import os; print(os.getpid() == os.getpgid(0) == os.getsid(0))")
    bench.run(request)
    assert (request.folder / "stdout").read_text() == "True\n"


def test_the_attempt_folder_and_its_files_are_private(bench: Bench) -> None:
    request = replace(bench.shell("echo out"), stdin=b"{}")
    bench.run(request)
    assert stat.S_IMODE(request.folder.stat().st_mode) == 0o700
    for name in ("stdout", "stderr", "input.json"):
        assert stat.S_IMODE((request.folder / name).stat().st_mode) == 0o600, name


# what it writes


def test_both_streams_are_kept_apart_and_byte_for_byte(bench: Bench) -> None:
    data = bytes(range(256)) * 300
    (bench.folder / "data").write_bytes(data)
    request = bench.shell("cat data; cat data data >&2")
    end = bench.run(request)
    assert end.stdout.path.read_bytes() == data
    assert end.stderr.path.read_bytes() == data + data
    assert (end.stdout.bytes, end.stdout.truncated, end.stdout.lost) == (len(data), False, False)


def test_output_beyond_the_cap_is_cut_with_a_visible_mark_and_blocks_nobody(bench: Bench) -> None:
    request = replace(bench.shell("head -c 40000000 /dev/zero; echo done >&2"), output_bytes_max=1000)
    end = bench.run(request)
    kept = end.stdout.path.read_bytes()
    assert kept.startswith(bytes(1000))
    assert kept[1000:] == b"\n[output cut: 1000 of 40000000 bytes kept]\n"
    assert (end.stdout.truncated, end.stdout.bytes, end.exit_code) == (True, 40_000_000, 0)
    assert end.stderr.path.read_bytes() == b"done\n"


def test_output_of_exactly_the_cap_is_whole(bench: Bench) -> None:
    end = bench.run(replace(bench.shell("printf 12345678"), output_bytes_max=8))
    assert (end.stdout.path.read_bytes(), end.stdout.truncated) == (b"12345678", False)


def test_secrets_are_masked_also_where_writes_cut_them_and_at_the_cap(bench: Bench) -> None:
    script = "printf a=hunt; sleep 0.05; printf er2; sleep 0.05; printf secret."  # as three writes
    request = replace(bench.shell(script), secrets=("hunter2secret",))
    assert bench.run(request).stdout.path.read_bytes() == b"a=***."
    capped = replace(bench.shell("printf abchunter2secret"), secrets=("hunter2secret",), output_bytes_max=5)
    assert bench.run(capped).stdout.path.read_bytes().startswith(b"abc**\n[output cut: 5 of ")


def test_a_full_disk_is_told_as_lost_output(bench: Bench) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs a device that is always full")
    request = bench.shell("echo text")
    request.folder.mkdir()
    (request.folder / "stdout").symlink_to("/dev/full")
    end = bench.run(request)
    assert (end.stdout.lost, end.stderr.lost, end.exit_code) == (True, False, 0)


# how it is ended


def test_a_timeout_ends_the_whole_tree(bench: Bench) -> None:
    request = replace(bench.shell("sleep 600 & echo $! > child; sleep 600"), timeout_ms=300)
    end = bench.run(request)
    assert (end.timed_out, end.stopped, end.signal) == (True, False, signal.SIGTERM)
    assert not runs(pid_in(bench.folder / "child"))


def test_what_answers_sigterm_with_success_still_timed_out(bench: Bench) -> None:
    request = replace(bench.shell("trap 'exit 0' TERM; while :; do sleep 0.01; done"), timeout_ms=1000)
    end = bench.run(request)
    assert (end.timed_out, end.exit_code) == (True, 0)


def test_what_ignores_sigterm_is_killed_after_the_grace(bench: Bench) -> None:
    request = replace(bench.shell("trap '' TERM; while :; do sleep 0.01; done"), timeout_ms=1000)
    end = bench.run(request)
    assert (end.timed_out, end.signal) == (True, signal.SIGKILL)
    assert end.duration_ms >= 1500


def test_a_stopped_process_is_woken_to_hear_the_sigterm(bench: Bench) -> None:
    request = replace(bench.shell("kill -STOP $$; exit 5"), timeout_ms=300)
    assert bench.run(request).signal == signal.SIGTERM


def test_stop_ends_it_and_says_so(bench: Bench) -> None:
    key = bench.start(bench.shell("touch ready; exec sleep 600"))
    poll((bench.folder / "ready").exists, "it runs")
    bench.processes.stop(key)
    bench.processes.stop(key)
    ended, end = bench.ended()
    assert (ended, end.stopped, end.timed_out, end.signal) == (key, True, False, signal.SIGTERM)
    bench.processes.stop(key)
    assert bench.processes.wait(0) is None


def test_a_stop_before_the_spawn_means_that_nothing_ever_ran(bench: Bench) -> None:
    bench.processes.drain()
    end = bench.run(bench.shell("touch ran"))
    assert (end.spawn_error, end.stopped) == ("stopped_before_start", True)
    assert not (bench.folder / "ran").exists()


# what it leaves behind


def test_a_child_left_behind_is_ended_before_the_end_is_told(bench: Bench) -> None:
    end = bench.run(bench.shell("sleep 600 & echo $! > child; exit 3"))
    assert (end.exit_code, end.timed_out, end.stopped, end.survivors) == (3, False, False, ())
    assert not runs(pid_in(bench.folder / "child"))


def test_a_deaf_grandchild_in_its_own_session_that_holds_the_output_neither_hangs_nor_lives(bench: Bench) -> None:
    script = """
        import os, signal, time
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            open("deaf", "w").write(str(os.getpid()))
            time.sleep(600)
        while not os.path.exists("deaf") or not open("deaf").read():
            time.sleep(0.005)
        print("bye")
    """
    end = bench.run(bench.python(script))
    assert (end.exit_code, end.survivors) == (0, ())
    assert end.stdout.path.read_text() == "bye\n"
    assert not runs(pid_in(bench.folder / "deaf"))


@only_adopting
@pytest.mark.parametrize("left_behind", [True, False], ids=["left behind", "stopped"])
def test_a_daemon_without_environment_session_or_parent_is_found_all_the_same(
    bench: Bench, left_behind: bool
) -> None:
    (bench.folder / "daemon.py").write_text(dedent(DAEMON))
    ready = "until test -s daemon; do sleep 0.01; done"
    ending = "exit 0" if left_behind else "exec sleep 600"
    key = bench.start(bench.shell(f"env -i {sys.executable} daemon.py daemon; {ready}; {ending}"))
    daemon = pid_in(bench.folder / "daemon")
    if not left_behind:
        bench.processes.stop(key)
    end = bench.ended()[1]
    assert (end.stopped, end.survivors) == (not left_behind, ())
    assert not runs(daemon)


@only_adopting
def test_adopted_processes_are_reaped(bench: Bench) -> None:
    request = bench.shell("for i in 1 2 3; do (setsid sh -c 'sleep 600 & exec sleep 600' &); done")
    bench.run(request)
    supervisor = recorded(request).supervisor.pid
    assert not [row for row in host_table().rows().values() if row.parent == supervisor]


@only_adopting
def test_the_end_of_one_attempt_leaves_the_daemon_of_a_running_one_alone(bench: Bench) -> None:
    (bench.folder / "daemon.py").write_text(dedent(DAEMON))
    for name, clear in (("plain", ""), ("bare", "env -i")):
        bench.start(bench.shell(f"{clear} {sys.executable} daemon.py {name}; exec sleep 600"))
    daemons = [pid_in(bench.folder / "plain"), pid_in(bench.folder / "bare")]
    later = bench.shell("sleep 600 & exit 0")
    bench.start(later)
    assert bench.ended()[0] == later.token
    assert all(map(runs, daemons))
    bench.processes.drain()
    assert not any(map(runs, daemons))


@only_adopting
def test_a_deaf_child_is_not_lost_sight_of_when_its_parent_obeys_and_another_attempt_might_own_it(
    bench: Bench,
) -> None:
    """Once its parent is gone, only what was seen before tells whose it is."""
    older = bench.start(bench.shell("touch older; exec sleep 600"))
    poll((bench.folder / "older").exists, "the older attempt runs")
    deaf = f"env -i {sys.executable} -c '{DEAF}' & wait"
    key = bench.start(bench.shell(deaf))
    child = pid_in(bench.folder / "deaf")
    bench.processes.stop(key)
    assert bench.ended()[0] == key
    assert not runs(child)
    bench.processes.stop(older)
    assert bench.ended()[0] == older


def test_a_next_attempt_never_overlaps_one_that_timed_out(bench: Bench) -> None:
    script = """
        import fcntl, os, signal, sys, time
        lock = open("lock", "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(9)
        if sys.argv[1] == "last":
            sys.exit(0)
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    """
    for _ in range(3):
        end = bench.run(replace(bench.python(script, "hangs"), timeout_ms=1000))
        assert (end.timed_out, end.signal) == (True, signal.SIGTERM)
    assert bench.run(bench.python(script, "last")).exit_code == 0


# draining


def test_drain_with_nothing_started_returns_at_once() -> None:
    processes = Processes()
    begun = time.monotonic()
    assert (processes.drain(), processes.drain()) == ((), ())
    processes.close()
    assert time.monotonic() - begun < 1


def test_drain_stops_everything_and_every_end_is_told_after_it(bench: Bench) -> None:
    keys = {bench.start(bench.shell(f"echo $$ > pid.{number}; exec sleep 600")) for number in range(5)}
    pids = [pid_in(bench.folder / f"pid.{number}") for number in range(5)]
    assert bench.processes.drain() == ()
    assert {bench.ended()[0] for _ in keys} == keys
    assert not any(map(runs, pids))
    assert bench.processes.drain() == ()


def test_no_supervisor_is_left_when_all_is_closed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    requests = [bench.shell("true") for _ in range(3)]
    for request in requests:
        bench.start(request)
    for _ in requests:
        bench.ended()
    bench.processes.close()
    supervisors = {recorded(request).supervisor.pid for request in requests}
    assert len(supervisors) == 3
    assert not [pid for pid in supervisors if host_table().row(pid) is not None]


def test_a_supervisor_that_is_stopped_itself_holds_no_drain_up(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("KILL_WAIT_S", "REST_WAIT_S", "_DRAIN_SLACK_S"):
        monkeypatch.setattr(processes, name, 0.1)
    request = bench.shell("echo $$ > tool; exec sleep 600")
    bench.start(request)
    tool = pid_in(bench.folder / "tool")
    os.kill(recorded(request).supervisor.pid, signal.SIGSTOP)
    assert bench.processes.drain() == ()
    assert not runs(tool)
    assert not is_alive(recorded(request).supervisor)
    _, end = bench.ended()
    assert (end.exit_code, end.signal, end.spawn_error) == (None, None, None)


def test_a_wake_ends_a_wait_and_only_one(bench: Bench) -> None:
    bench.processes.wake()
    begun = time.monotonic()
    assert bench.processes.wait(DEADLINE_S) is None
    assert time.monotonic() - begun < DEADLINE_S / 2
    assert bench.run(bench.shell("exit 3")).exit_code == 3


def test_a_drain_that_signals_interrupt_leaves_nothing(tmp_path: Path) -> None:
    driver = f"""
        import os, signal, sys
        from pathlib import Path
        from akm.dispatch.processes import Processes, ProcessRequest
        processes, here = Processes(300), Path({str(tmp_path)!r})
        signal.signal(signal.SIGTERM, lambda *_: processes.wake())
        for number in range(3):
            script = f"trap '' TERM; echo $$ > {{here}}/pid.{{number}}; while :; do sleep 0.01; done"
            request = ProcessRequest(
                ("/bin/sh", "-c", script), here, None, dict(os.environ), (), 60000, 9000, here / str(number), "w",
                f"t{{number}}"
            )
            processes.start(str(number), request)
        assert processes.wait(60) is None
        processes.drain()
        processes.close()
        sys.exit(7)
    """
    process = subprocess.Popen((sys.executable, "-c", dedent(driver)), stderr=subprocess.PIPE)
    pids = [pid_in(tmp_path / f"pid.{number}") for number in range(3)]
    for _ in range(20):
        process.terminate()
        time.sleep(0.005)  # or the host takes them for one signal
    assert process.communicate(timeout=DEADLINE_S)[1] == b""
    assert process.returncode == 7
    assert not any(map(runs, pids))
