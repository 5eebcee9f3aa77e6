"""Everything outside of a run, made up from a seed: how processes end, what queries find, what people decide.

It answers as a function of its seed and of who asks, so that a crash changes nothing of it.
"""

import random
from typing import Any

from akm.kernel.identity import assignment_of
from akm.kernel.observation import StoredFile
from akm.kernel.outcome import named_files
from akm.kernel.state import RunState
from akm.kernel.steps import reply_outcomes
from akm.kernel.units import Unit, unit_of
from akm.simulation.sample import sample
from akm_specs.canonical import canonical, hash_bytes
from akm_specs.plan import Plan

#: How often a process does not end by itself, and how often an agent or a judge says what nobody asked for.
BROKEN_RATE = 0.15
_BROKEN: tuple[dict[str, Any], ...] = (
    {"never_started": "simulated"},
    {"signal": 15, "timed_out": True},
    {"signal": 9},
)


class World:
    """What the runs of one seed meet."""

    def __init__(self, plan: Plan, seed: str) -> None:
        self.plan = plan
        self.seed = seed

    def pick(self, *who: object) -> random.Random:
        """Chance that is the same for the same asker."""
        return random.Random(f"{self.seed} {who}")  # noqa: S311  # no secret: a seed gives it again

    def end(self, state: RunState, attempt: str) -> dict[str, Any]:
        """How `attempt` ends: the same for each that replaces it without being a retry by policy."""
        assignment = state.assignments[state.attempts[attempt].assignment]
        chance = self.pick("end", assignment.id, assignment.attempts - assignment.lost - assignment.granted)
        if chance.random() < BROKEN_RATE:
            return chance.choice(_BROKEN)
        unit = unit_of(self.plan, assignment.id)
        if unit.reply == "exit":
            exits = unit.step["exits"] if unit.step["kind"] == "exec" else {}
            return {"exit_code": chance.choice([0, 0, 0, 1, *map(int, exits)]), "stdout": _output(unit, chance)}
        if unit.reply == "verdict":
            complete = chance.random() < 0.7
            return {"exit_code": 0, "stdout": canonical({"complete": complete})}
        return {"exit_code": 0, "stdout": _reply(unit, chance)}

    def files(self, attempt: str, end: dict[str, Any]) -> dict[str, StoredFile | None]:
        """Every file that an output names is there."""
        if end.get("exit_code") is None or "stdout" not in end:
            return {}
        names = named_files(unit_of(self.plan, assignment_of(attempt)), end["stdout"])
        return dict.fromkeys(names, StoredFile(hash_bytes(b""), 0))

    def receipt(self, state: RunState, effect: str) -> Any:
        """Only what passed left something to be found; now and then the query fails."""
        if self.pick("query", effect).random() < BROKEN_RATE:
            return "ambiguous"
        return "found" if self.end(state, effect).get("exit_code") == 0 else "absent"


def _output(unit: Unit, chance: random.Random) -> bytes:
    return b"" if unit.output is None else canonical(sample(unit.output, chance))


def _reply(unit: Unit, chance: random.Random) -> bytes:
    value = sample(unit.output, chance) if unit.output is not None else {}
    said = value if isinstance(value, dict) else {}
    return canonical({**said, "outcome": chance.choice(["passed", *sorted(reply_outcomes(unit.step))])})
