"""What proving costs: states a second, whole verifications, and the share of a compilation.

    python benchmarks/verify_cost.py [--rounds N]

Prints medians and spreads in milliseconds, the states that were looked at, and the goal where there is one.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from akm_specs.canonical import hash_json
from akm_specs.plan import Plan
from akmc.pipeline import compile_workflow
from akmc.proof.budgets import budgets_of
from akmc.proof.longest import explore
from akmc.proof.model import model_of
from akmc.proof.space import space_of
from akmc.proof.verification import STATES_MAX, verify
from akmc.proof.worst import worst
from akmc.source import Source

STEPS = 256
REGISTRY = """\
tool build { argv ["make", "build"] }
tool check { argv ["make", "check"], effect read_only }
"""
#: Least states a second that exploring should look at on a machine of two cores.
RATE_GOAL = 50_000
VERIFY_GOAL_MS = 5_000


@dataclass(frozen=True, slots=True)
class Case:
    """Something to measure; `run` says how many states it looked at, None for too many."""

    name: str
    goal_ms: int | None
    run: Callable[[], int | None]


def workflow(clause: Callable[[int], str], attempts: int) -> Plan:
    """A line of steps; `clause` gives what leads back from each."""
    steps = "".join(
        f"  step s{at}: gate check {{\n    attempts {attempts}\n"
        f"    on passed -> {f's{at + 1}' if at + 1 < STEPS else 'completed'}\n{clause(at)}  }}\n"
        for at in range(STEPS)
    )
    head = 'workflow large "A large workflow" {\n  limits { transitions 1000 }\n'
    text = f"{head}{steps}  require s0 before s9\n}}\n"
    return compile_workflow(Source("absent/large.akm", text), Source("absent/registry.akm", REGISTRY)).plan


def back(every: int, most: int, distance: int | None = None) -> Callable[[int], str]:
    """A way back from each `every`-th step, to be taken `most` times: by `distance` steps, or to the first one."""

    def clause(at: int) -> str:
        if at % every != every - 1:
            return ""
        return f"    on failed -> s{0 if distance is None else at - distance} max {most}\n"

    return clause


def verified(plan: Plan) -> Callable[[], int | None]:
    """A whole verification."""

    def run() -> int | None:
        explored = verify(plan, hash_json(plan)).explorer.explored
        return None if explored is None else len(explored.states)

    return run


def explored(plan: Plan) -> Callable[[], int | None]:
    """The exploration alone."""
    model = model_of(plan)
    space = space_of(model, budgets_of(model))
    return lambda: len(explore(space, STATES_MAX).states)


def pinned(plan: Plan) -> Callable[[], int | None]:
    """What compiling computes: the worst case."""

    def run() -> int | None:
        worst(plan)
        return None

    return run


def cases() -> Iterator[Case]:
    """Everything that is measured."""
    line = workflow(back(STEPS + 1, 1), 1)
    pairs = workflow(back(2, 3, distance=1), 4)
    nested = workflow(back(50, 3), 16)
    yield Case("nested loops: exploring", None, explored(nested))
    yield Case("a line: worst case", None, pinned(line))
    yield Case("128 loops: worst case", None, pinned(pairs))
    for name, plan in (("a line", line), ("128 loops", pairs), ("nested loops", nested)):
        yield Case(f"{name}: verify", VERIFY_GOAL_MS, verified(plan))


def main() -> None:
    """Measures every case in turns."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often each case is measured; default: 5")
    rounds = parser.parse_args().rounds
    measured: list[tuple[Case, int | None, list[float]]] = [(case, case.run(), []) for case in cases()]
    for _ in range(rounds):
        for case, _, times in measured:
            begun = time.perf_counter()
            case.run()
            times.append((time.perf_counter() - begun) * 1000)
    print(f"{'':28}{'median':>9}{'least':>9}{'most':>9}{'states':>10}{'a second':>11}{'goal':>8}   (ms)")
    for case, states, times in measured:
        middle = statistics.median(times)
        told = "" if states is None else f"{states:,}"
        rate = "" if states is None or case.goal_ms else f"{states / middle * 1000:,.0f}"
        goal = "" if case.goal_ms is None else f"{case.goal_ms:,}"
        print(f"{case.name:28}{middle:9.1f}{min(times):9.1f}{max(times):9.1f}{told:>10}{rate:>11}{goal:>8}")
    print(f"exploring should look at {RATE_GOAL:,} states a second or more")


if __name__ == "__main__":
    main()
