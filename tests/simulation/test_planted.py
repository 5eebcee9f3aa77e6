"""Each planted bug is found by the simulation, within as many runs as are allowed.

A bug is an edit of the engine's source that breaks one promise. `old` must stand in the file exactly once, so that
an edit which does not apply any more is noticed. `trial` is what finds it: chance, or a cut at every place. `seed`
is the first that found it when it was planted; should it not any more, others are tried.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

import akm
import akm_specs
from akmc.pipeline import compile_workflow, registry_beside
from akmc.source import Source

HAZARDS = Path(__file__).parent / "hazards"
#: Runs within which a bug has to be found.
RUNS_MAX = 120


@dataclass(frozen=True, slots=True)
class Planted:
    """One bug, in a file of the package `akm`."""

    promise: str
    file: str
    old: str
    new: str
    seed: int = 0
    trial: Literal["chance", "every place"] = "chance"


PLANTED = (
    Planted(
        "a token that was replaced writes nothing",
        "journal/lease.py",
        "if row is not None and tuple(row[:3]) == (lease.token, lease.holder, None):",
        "if row is not None:",
        seed=3,
    ),
    Planted(
        "a lease that has not expired is not taken",
        "journal/lease.py",
        "    if record is not None and is_live(record, time):\n",
        "    if record is not None and is_live(record, time) and record.token < 0:\n",
        seed=1,
    ),
    Planted(
        "a lease is given back on every way out",
        "engine/driver.py",
        "            self._dispatcher.close()\n            self._store.release(self._lease)\n",
        "            self._dispatcher.close()\n",
        seed=1,
    ),
    Planted(
        "an engine leaves no process",
        "engine/driver.py",
        "            self._children.close()\n            self._dispatcher.abandon()\n",
        "            self._children.close()\n",
        seed=18,
    ),
    Planted(
        "nothing is started before its intent is committed",
        "engine/driver.py",
        "        self._dispatcher.make_ready(events)\n",
        "        self._dispatcher.make_ready(events)\n"
        "        for command in pending(self._run.plan, decision.after):\n"
        "            if isinstance(command, StartAttempt):\n"
        "                self._dispatcher.carry_out(command)\n",
    ),
    Planted(
        "what was sent is taken up once",
        "journal/append.py",
        "        _take(database, run, entry)\n",
        "",
        seed=3,
    ),
    Planted(
        "a run does not end over unread commands",
        "journal/append.py",
        "            _check_inbox(database, run.run)\n",
        "            pass\n",
        seed=3,
    ),
    Planted(
        "what may leave is in the outbox with its event",
        "journal/append.py",
        "        database.put_all(outbox.INSERT, outbox.enqueued(run.run, first, entry.at, events))\n",
        "",
    ),
    Planted(
        "files that a result names are kept with it",
        "journal/append.py",
        '        database.put("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (sha256, data))\n',
        "",
        seed=3,
    ),
    Planted(
        "the head is the hash of the last batch",
        "journal/append.py",
        "    return replace(run, state=state, head=head, sample=entry.sample, unsaved=run.unsaved + size)\n",
        "    return replace(run, state=state, sample=entry.sample, unsaved=run.unsaved + size)\n",
    ),
    Planted(
        "the projection is written with the events",
        "journal/append.py",
        "        _write_projection(database, after, entry)\n        _take(",
        "        _write_projection(database, run, entry)\n        _take(",
    ),
    Planted(
        "an ambiguous answer proves nothing",
        "engine/receipt_reply.py",
        'return ReceiptReply("ambiguous", None, detail)',
        'return ReceiptReply("absent", None, detail)',
        seed=14,
    ),
    Planted(
        "what may not be repeated is not",
        "kernel/attempts.py",
        '    elif unit.tool["effect"] == "workspace_mutation" and observed.changed == ():\n',
        "    elif not observed.survivors:\n"
        '        settle_effect(draft, attempt, {"lost": observed.cause})\n'
        '        settle_attempt(draft, attempt, end="lost")\n'
        '        draft.move("assignment", attempt.assignment, "retry", reason="lost", attempt=attempt.id)\n'
        '    elif unit.tool["effect"] == "workspace_mutation" and observed.changed == ():\n',
        seed=14,
    ),
    Planted(
        "a lost attempt is asked about before it is repeated",
        "kernel/attempts.py",
        "        pass  # `pending` asks the receipt query next\n",
        '        replace_lost(draft, attempt, {"lost": observed.cause})\n',
        seed=5,
    ),
    Planted(
        "recoveries are bounded",
        "kernel/attempts.py",
        "return draft.stopping or draft.state.assignments[assignment_id].lost < bound",
        "return draft.stopping or draft.state.assignments[assignment_id].lost < bound + 50",
        seed=3,
    ),
    Planted(
        "no new process takes an old attempt's id",
        "kernel/attempts.py",
        "    number = draft.state.assignments[assignment_id].attempts + 1\n",
        "    number = max(1, draft.state.assignments[assignment_id].attempts)\n",
    ),
    Planted(
        "an attempt is not started a second time",
        "dispatch/record.py",
        "os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600, dir_fd=folder)\n",
        "os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600, dir_fd=folder)\n",
        seed=2,
    ),
    Planted(
        "an absent record proves something only where its folder is",
        "dispatch/found.py",
        "        return NeverStarted() if intended else MaybeStarted()\n",
        "        return NeverStarted()\n",
        seed=14,
    ),
    Planted(
        "an absent record proves nothing to another boot",
        "dispatch/found.py",
        'intended = (folder / f"{record.INTENDED}.{boot_id()}").exists()',
        'intended = any(folder.glob(f"{record.INTENDED}.*"))',
        seed=14,
    ),
    Planted(
        "a process is known by more than its pid",
        "dispatch/identity.py",
        'return "alive" if row is not None and not row.ended and row.start_time == identity.start_time else "gone"',
        'return "alive" if row is not None and not row.ended else "gone"',
    ),
    Planted(
        "the same process goes on after a crash",
        "dispatch/found.py",
        "        return ours and is_alive(self.supervisor)\n",
        "        return False\n",
        trial="every place",
    ),
    Planted(
        "a stored end is observed, not asked about",
        "dispatch/found.py",
        'end=_stored_end(folder, lines["ended"]) if "ended" in lines else None,',
        "end=None,",
        trial="every place",
        seed=1,
    ),
    Planted(
        "the input of a unit does not depend on time",
        "kernel/work.py",
        "    found = inputs.next_hash(draft.plan, draft.state, assignment)\n",
        '    found = inputs.next_hash(draft.plan, draft.state, assignment)[:-4] + f"{draft.at_ms % 9999:04d}"\n',
    ),
    Planted(
        "the key is the same on every retry",
        "kernel/attempts.py",
        '"key": idempotency_key(draft.state.run, assignment_id, unit.tool_name),',
        '"key": idempotency_key(draft.state.run, attempt, unit.tool_name),',
    ),
    Planted(
        "a run's clock goes on over a crash",
        "clock.py",
        "            self._base = sample\n        else:",
        "            self._base = ClockSample(source.boot_id(), boottime_ms, 0)\n        else:",
        seed=1,
    ),
    Planted(
        "a cancelled run ends only once nothing is open",
        "kernel/progress.py",
        "    if state.open:\n        return False\n    _conclude(",
        "    _conclude(",
        seed=5,
    ),
    Planted(
        "all of a panel have to agree",
        "kernel/joins.py",
        "    return outcomes.pop() if len(outcomes) == 1 else None\n",
        "    return outcomes.pop()\n",
    ),
)


@pytest.fixture(scope="session")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The plan with every hazard, for chance, and a short one, for a cut at every place."""
    folder = tmp_path_factory.mktemp("hazards")
    found = {}
    for trial, name in (("chance", "hazards"), ("every place", "short")):
        source = HAZARDS / f"{name}.akm"
        compiled = compile_workflow(Source.read(str(source)), registry_beside(str(source)))
        found[trial] = folder / f"{name}.plan.json"
        found[trial].write_bytes(compiled.data)
    return found


def simulated(plan: Path, package: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """What the simulation in `package` says of `plan`."""
    roots = [str(package.parent), str(Path(akm_specs.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots)}
    command = [sys.executable, "-m", "akm.simulation", str(plan), *flags]
    return subprocess.run(
        command, env=environment, cwd=plan.parent, capture_output=True, text=True, timeout=600, check=False
    )


def planted(bug: Planted, folder: Path) -> Path:
    """The package with the bug in it."""
    package = folder / "akm"
    shutil.copytree(Path(akm.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    file = package / bug.file
    source = file.read_text(encoding="utf-8")
    assert source.count(bug.old) == 1, f"{bug.file} has no such place any more, or several"
    file.write_text(source.replace(bug.old, bug.new), encoding="utf-8")
    return package


@pytest.mark.parametrize("bug", PLANTED, ids=lambda bug: bug.promise.replace(" ", "-"))
def test_it_is_found(bug: Planted, plans: dict[str, Path], tmp_path: Path) -> None:
    package = planted(bug, tmp_path)
    every = ("--every-place",) if bug.trial == "every place" else ()
    told = simulated(plans[bug.trial], package, "--seed", str(bug.seed), *every)
    if told.returncode == 0:
        told = simulated(plans[bug.trial], package, "--runs", str(RUNS_MAX), *every)
    assert told.returncode == 1, told.stdout + told.stderr
    assert "see it again: python -m akm.simulation" in told.stderr


def test_nothing_is_found_where_nothing_was_planted(plans: dict[str, Path]) -> None:
    whole = Path(akm.__file__).parent
    assert simulated(plans["chance"], whole, "--runs", "20").returncode == 0
    assert simulated(plans["every place"], whole, "--runs", "3", "--every-place").returncode == 0
