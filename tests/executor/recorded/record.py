"""Records a journal of today's format: `python tests/executor/recorded/record.py`.

Writes `format_N.sql` beside itself, N being the format that this akm writes. One file is kept for each format that
was ever released, made by the akm of its time and never again: tests read them all with the akm of today.

Each holds four runs of one plan: `done` completed and kept a file, `failed` failed, `waits` waits for a decision
that was sent and not taken up yet, and `works` was left by its driver with an attempt whose end nobody recorded.
"""

import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from akm.clock import ClockSample
from akm.dispatch.identity import ProcessIdentity
from akm.engine import inbox
from akm.engine.plans import FrozenPlan, from_bytes
from akm.journal.append import Entry
from akm.journal.formats import APPLICATION_ID, FORMAT
from akm.journal.lease import Holder
from akm.journal.store import Store
from akm.kernel.decide import created, decided
from akm.kernel.decision import Decision, held
from akm.kernel.event import Instant
from akm.kernel.observation import AttemptEnded, Observation, Prepared, StoredFile, Ticked
from akm_specs.canonical import hash_bytes
from akm_specs.plan import TERMINALS
from akmc.pipeline import compile_workflow
from akmc.source import Source

SOURCE = """workflow recorded "What a journal of this format holds" {
  step build: exec make {
    output { wheel: file }
    evidence wheel: artifact
    on passed -> sign
  }
  step sign: approval {
    by alice, timeout 1h, on passed -> send, on rejected -> failed, on expired -> failed
  }
  step send: exec put { on passed -> completed }
}
"""
REGISTRY = """
tool make { argv ["true"], effect read_only }
tool put  { argv ["true"], effect external_idempotent }
"""
BOOT = "00000000-0000-0000-0000-000000000001"
UTC = "2020-01-01T00:00:00.000Z"
WHEEL = b"a wheel"


class StillTime:
    """Clocks that stand still."""

    def boot_id(self) -> str:
        return BOOT

    def boottime_ms(self) -> int:
        return 1_000_000

    def utc(self) -> str:
        return UTC


class Recorder:
    """One run, told what happens."""

    def __init__(self, store: Store, frozen: FrozenPlan, run: str) -> None:
        self.store = store
        birth = created(run, frozen.plan, frozen.hash, {}, simulated=False)
        holder = Holder("0" * 16, "host", ProcessIdentity(1, 1, BOOT, ""))
        entry = self._entry(held(frozen.plan, None, (birth,), 0))
        made = store.create_run(frozen.plan, frozen.data, "/nowhere", holder, entry)
        assert made.lease is not None, "made now"
        self.run, self.lease = made.run, made.lease

    def _entry(
        self, decision: Decision, taken: Sequence[int] = (), blobs: Mapping[str, bytes] | None = None
    ) -> Entry:
        ends = decision.after.status in TERMINALS
        return Entry(decision, Instant(UTC, 0), ClockSample(BOOT, 1_000_000, 0), taken, blobs or {}, release=ends)

    def tell(
        self, observation: Observation, taken: Sequence[int] = (), blobs: Mapping[str, bytes] | None = None
    ) -> None:
        """What `observation` leads to, appended."""
        decision = decided(self.run.plan, self.run.state, observation)
        self.run = self.store.append(self.run, self.lease, self._entry(decision, taken, blobs))

    def prepared(self) -> "Recorder":
        """Up to the first step."""
        self.tell(Ticked(0))
        self.tell(Prepared(0, ()))
        return self

    def built(self) -> "Recorder":
        """The first step has kept its file."""
        sha256 = hash_bytes(WHEEL)
        ended = AttemptEnded(
            0, "build#1/1", 0, stdout=b'{"wheel": "w"}', files={"w": StoredFile(sha256, len(WHEEL))}
        )
        self.tell(ended, blobs={sha256: WHEEL})
        return self

    def signed(self) -> None:
        """Alice's approval is sent."""
        active = self.run.state.active
        assert active is not None
        draft = inbox.decision("sign#1", approve=True, by="alice", reason="it is good", shown=active.shown or "")
        self.store.post(self.run.run, draft.key, draft.kind, draft.body)


def record(directory: Path) -> None:
    """Fill the store in `directory`."""
    store = Store(directory, create=True, time=StillTime())
    source = Source("absent/recorded.akm", SOURCE)
    compiled = compile_workflow(source, Source("absent/registry.akm", REGISTRY))
    frozen = from_bytes(compiled.data, "recorded.akm")
    done = Recorder(store, frozen, "done").prepared().built()
    done.signed()
    for command in store.inbox("done"):
        done.tell(inbox.observation_of(command, 0), taken=(command.number,))
    done.tell(AttemptEnded(0, "send#1/1", 0))
    Recorder(store, frozen, "failed").prepared().tell(AttemptEnded(0, "build#1/1", 1, stdout=b""))
    Recorder(store, frozen, "waits").prepared().built().signed()
    Recorder(store, frozen, "works").prepared()
    assert [row.status for row in store.runs()] == ["completed", "failed", "waiting", "running"]
    store.close()


def main() -> None:
    """Record, as the statements that make the same database."""
    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder) / "store")
        with closing(sqlite3.connect(Path(folder) / "store" / "akm.db")) as connection:
            lines = list(connection.iterdump())
    lines += [f"PRAGMA application_id = {APPLICATION_ID};", f"PRAGMA user_version = {FORMAT};"]
    target = Path(__file__).with_name(f"format_{FORMAT}.sql")
    target.write_text("\n".join((*lines, "")), encoding="utf-8")
    print(f"wrote {target.name}")


if __name__ == "__main__":
    main()
