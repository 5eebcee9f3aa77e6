"""A writer that is killed in the middle of its appends leaves a run that is whole."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from akm.journal.store import Store
from akm.kernel.invariants import History, check

#: Rounds of one long run, each cut off by SIGKILL; and what its signals carry, to make appends longer than a page.
ROUNDS = 12
WRITE = """
import sys
from pathlib import Path
from akm.clock import HostTime, RunClock
from akm.engine.plans import read
from akm.journal.append import Entry
from akm.journal.lease import this_process
from akm.journal.store import Store
from akm.kernel.decision import held
from akm.kernel.event import Event

store = Store(Path(sys.argv[1]), create=False)
lease, run = store.claim("r", this_process()), store.load("r")
clock = RunClock(HostTime(), run.sample)
print("writing", flush=True)
while True:
    at = clock.elapsed_ms()
    number = run.state.sequence
    data = {"number": number, "name": "x", "data": "y" * 5_000, "problem": "unwanted"}
    event = Event("signal.refused", "r", None, None, data)
    twice = held(run.plan, run.state, (event, event), at)
    run = store.append(run, lease, Entry(twice, clock.instant(at), clock.sample(at)))
    print(run.state.sequence, flush=True)
"""


def test_what_was_reported_as_written_is_there_after_a_kill_and_nothing_is_half_there(
    ledger_of: Callable[..., Any], store: Store, tmp_path: Path
) -> None:
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    ledger = ledger_of("step one: exec read { on passed -> completed }")
    began = ledger.run.state.sequence
    store.release(ledger.lease)
    for _ in range(ROUNDS):
        reported = killed_after(chance.uniform(0.0, 0.15), tmp_path / "store")
        run = store.load("r")
        assert run.state.sequence >= reported, f"seed {seed}"
        assert (run.state.sequence - began) % 2 == 0, f"seed {seed}: half an append"
        events = tuple(store.recorded("r"))
        assert check(History(run.plan, events, store.run("r").summary)) == (), f"seed {seed}"
    tokens = {one.token for one in events}
    assert len(tokens) > ROUNDS // 2, "most rounds were killed while they wrote"


def killed_after(seconds: float, directory: Path) -> int:
    """The last sequence that a writer reported before it was killed."""
    argv = [sys.executable, "-c", WRITE, str(directory)]
    writer = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "writing\n", writer.communicate()
    time.sleep(seconds)
    writer.send_signal(signal.SIGKILL)
    said, error = writer.communicate(timeout=60)
    assert error == ""
    whole = said.splitlines(keepends=True)
    return max((int(line) for line in whole if line.endswith("\n")), default=0)
