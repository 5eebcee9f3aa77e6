"""Several processes at once under one driver: started together, stopped together, and committed together."""

from collections.abc import Callable
from typing import Any

from akm.engine.driver import Limits
from akm.engine.standing import Exit
from akm.kernel.digest import digest

#: Agents that wait for one another, so that they end only where all of them run at once; and one that never ends.
TOOLS = r"""
tool meet {
  argv [
    "sh", "-c",
    "echo x >> marks; while [ $(wc -l < marks) -lt 3 ]; do sleep 0.02; done; echo '{\"outcome\": \"passed\"}'"
  ]
  effect read_only
}
tool say  { argv ["sh", "-c", "echo x >> marks; sleep 0.05; echo '{\"outcome\": \"passed\"}'"], effect read_only }
tool held { argv ["sh", "-c", "echo $$ >> pids; echo x >> marks; sleep 300"], effect read_only }
agent ada { tool meet }
agent ben { tool meet }
agent cleo { tool meet }
agent fast { tool say }
agent brisk { tool say }
agent quick { tool say }
agent slow { tool held }
agent slack { tool held }
"""


def panel(agents: str, count: int, join: str = "join all") -> str:
    return f"""step look: panel {{ assign {count} of [{agents}], {join}, prompt "Look."
      on passed -> completed, on quorum_not_met -> failed }}"""


def test_all_assignments_of_a_panel_run_at_once(workshop_in: Callable[[str], Any], frozen_of: Any) -> None:
    workshop = workshop_in("here")
    assert workshop.new(frozen_of(panel("ada, ben, cleo", 3), TOOLS)).drive().exit == Exit.COMPLETED
    assert len(workshop.lines("marks")) == 3


def test_a_host_that_allows_one_process_runs_one_after_the_other(
    workshop_in: Callable[[str], Any], frozen_of: Any
) -> None:
    narrow, wide = workshop_in("narrow"), workshop_in("wide")
    frozen = frozen_of(panel("fast, brisk, quick", 3), TOOLS)
    assert narrow.new(frozen, Limits(parallel_max=1)).drive().exit == Exit.COMPLETED
    assert wide.new(frozen).drive().exit == Exit.COMPLETED
    at_work = most = 0
    for one in narrow.history():
        at_work += {"attempt.start": 1, "attempt.end": -1}.get(one.event.name, 0)
        most = max(most, at_work)
    assert most == 1
    assert digest(narrow.history()) == digest(wide.history())


def test_a_decided_panel_stops_the_rest_and_leaves_nothing(
    workshop_in: Callable[[str], Any], frozen_of: Any
) -> None:
    workshop = workshop_in("here")
    frozen = frozen_of(panel("fast, slow, slack", 3, "join quorum 1 then cancel"), TOOLS)
    standing = workshop.new(frozen).drive()
    assert standing.exit == Exit.COMPLETED
    assert workshop.left() == []
    names = [one.event.name for one in workshop.history()]
    assert names.count("assignment.cancel") == 2


def test_an_interrupt_stops_them_all_and_the_next_driver_goes_on(
    workshop_in: Callable[[str], Any], frozen_of: Any, eventually: Any
) -> None:
    workshop = workshop_in("here")
    frozen = frozen_of(panel("slow, slack", 2), TOOLS)
    child = workshop.child(frozen)
    eventually(lambda: len(workshop.lines("marks")) == 2)
    child.terminate()
    assert child.wait(60) == Exit.INTERRUPTED
    assert workshop.left() == []
    lost = [one.event.entity for one in workshop.history() if one.event.name == "attempt.lose"]
    assert sorted(lost) == ["look#1:1/1", "look#1:2/1"]
