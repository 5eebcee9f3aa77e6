"""A signal that arrives just as the run ends costs nothing: not the signal, not the files of the last result."""

from pathlib import Path
from typing import Any

from akm.engine.driver import Limits
from akm.engine.opening import open_new, this_host
from akm.engine.verification import verify
from akm.engine.watcher import Watcher
from akm.journal.append import Entry
from akm.journal.history import OpenRun
from akm.journal.lease import Lease
from akm.journal.store import Store

REGISTRY = """
tool build { argv ["/bin/sh", "-c", "echo wheel > made.whl; echo '{\\"wheel\\": \\"made.whl\\"}'"] }
"""
BUILD = """
  step build: exec build { output { wheel: file }, evidence wheel: artifact, on passed -> completed }
"""


class Interrupted(Store):
    """A store in which another process is a moment quicker than the append that ends run `r`."""

    def append(self, run: OpenRun, lease: Lease, entry: Entry) -> OpenRun:
        if entry.release:
            other = Store(self.directory, create=False)
            other.post("r", "signal late", "signal", {"name": "late", "data": None})
            other.close()
        return super().append(run, lease, entry)


def test_files_of_the_last_result_are_stored_though_a_signal_came_late(tmp_path: Path, frozen_of: Any) -> None:
    store = Interrupted(tmp_path / "store", create=True)
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    frozen = frozen_of(BUILD, REGISTRY)
    open_new(store, frozen, {"value": "x"}, "r", workspace, Limits(), Watcher(), this_host()).drive()
    report = verify(store, "r")
    assert (store.run("r").status, report.files, report.violations) == ("completed", 1, ())
    assert "command.unread" in [one.event.name for one in store.recorded("r")]
    store.close()
