"""After the SIGKILL of engine and supervisor: what they left running is found and ended, and nothing else is."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

from akm.dispatch.found import Supervised, look
from akm.dispatch.identity import ProcessIdentity, identify, is_alive, presence, signal_process
from akm.dispatch.strays import find_strays, stop_strays

DEADLINE_S = 30.0

ENGINE = """
    import os, sys, time
    from pathlib import Path
    from akm.dispatch.processes import Processes, ProcessRequest
    here, token = Path(sys.argv[1]), sys.argv[2]
    tool = r'''
        sleep 600 &
        env -i sh -c "trap '' TERM; echo \\$\\$ > bare; while :; do sleep 0.05; done" &
        (setsid sh -c "echo \\$\\$ > detached; exec sleep 600" &)
        wait
    '''
    environment = {"PATH": os.environ["PATH"]}
    request = ProcessRequest(
        ("/bin/sh", "-c", tool), here, None, environment, (), 600_000, 9000, here / "attempt", "w", token
    )
    processes = Processes()
    processes.start("key", request)
    while True:
        time.sleep(1)
"""


def poll(found: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not found():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.005)


def written(path: Path) -> bool:
    return path.exists() and path.read_text() != ""


def killed_engine(folder: Path, token: str) -> ProcessIdentity:
    """The process of a killed engine and supervisor, once it has started all that it starts."""
    engine = subprocess.Popen((sys.executable, "-c", dedent(ENGINE), folder, token))
    poll(lambda: all(map(written, (folder / "bare", folder / "detached"))), "the tool runs")
    engine.kill()
    engine.wait()
    poll(lambda: isinstance(one := look(folder / "attempt"), Supervised) and one.process is not None, "it is named")
    found = look(folder / "attempt")
    assert isinstance(found, Supervised)
    assert found.process is not None
    signal_process(found.supervisor, signal.SIGKILL)
    poll(lambda: not is_alive(found.supervisor), "the supervisor is gone")
    return found.process


def test_strays_of_a_killed_engine_and_supervisor_are_found_and_all_are_ended(tmp_path: Path) -> None:
    token = f"stray {tmp_path}"
    process = killed_engine(tmp_path, token)
    bystander = subprocess.Popen(("sleep", "600"), start_new_session=True)
    assert is_alive(process)
    strays = find_strays(token)
    assert process.pid in {stray.pid for stray in strays}
    assert "sleep" in {stray.command for stray in strays}
    assert len(strays) >= 4
    assert stop_strays(token, grace_ms=300) == ()
    assert presence(process) == "gone"
    assert find_strays(token) == ()
    left = [identify(int((tmp_path / name).read_text())) for name in ("bare", "detached")]
    assert not [identity for identity in left if identity is not None and is_alive(identity)]
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_an_unknown_token_finds_nothing_and_stopping_nothing_takes_no_time() -> None:
    begun = time.monotonic()
    assert (find_strays("nobody has this"), stop_strays("nobody has this")) == ((), ())
    assert time.monotonic() - begun < 5


def test_we_are_never_our_own_stray(tmp_path: Path) -> None:
    token = f"own {tmp_path}"
    script = f"from akm.dispatch.strays import stop_strays; print(stop_strays({token!r}))"
    environment = {**os.environ, "AKM_PROCESS_TOKEN": token}
    ended = subprocess.run((sys.executable, "-c", script), env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "()\n")


def test_a_process_of_another_start_is_gone_and_one_of_another_boot_is_unseen() -> None:
    ours = identify(os.getpid())
    assert ours is not None
    assert presence(ours) == "alive"
    assert presence(ours._replace(start_time=ours.start_time - 1)) == "gone"
    assert presence(ours._replace(boot_id="another")) == "unseen"
    assert presence(ours._replace(pid_namespace="another")) == "unseen"
    assert not is_alive(ours._replace(boot_id="another"))


def test_a_zombie_is_gone_and_a_reaped_process_has_no_identity() -> None:
    process = subprocess.Popen(("sleep", "600"))
    identity = identify(process.pid)
    assert identity is not None
    assert is_alive(identity)
    process.kill()
    poll(lambda: presence(identity) == "gone", "it is a zombie")
    assert identify(process.pid) == identity
    process.wait()
    assert presence(identity) == "gone"


def test_a_tool_that_cleared_its_environment_is_found_by_its_recorded_start() -> None:
    argv = ["env", "-i", "sh", "-c", "trap '' TERM; sleep 600 & wait; sleep 600"]
    with subprocess.Popen(argv, start_new_session=True) as tool:
        leader = identify(tool.pid)
        assert leader is not None
        other = leader._replace(start_time=leader.start_time + 1)
        assert stop_strays("nobody has this", other, grace_ms=100) == ()
        assert tool.poll() is None, "another process of that pid is left alone"
        assert stop_strays("nobody has this", leader, grace_ms=100) == ()
        assert tool.wait(timeout=10) < 0
