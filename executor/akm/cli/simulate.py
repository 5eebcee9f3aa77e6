"""`akm simulate`: drive a plan through outcomes and crashes that are made up, and check every invariant."""

import argparse
from pathlib import Path

from akm.cli.reporting import UsageFault, emit
from akm.cli.spans import count
from akm.engine import parameters, plans
from akm.engine.standing import Exit
from akm.simulation.campaign import NOT_SIMULATED, campaign
from akm_specs.canonical import JsonObject

#: Runs of a simulation that names no number.
RUNS_DEFAULT = 1_000


def simulate(arguments: argparse.Namespace) -> int:
    """Many runs by seed; exit 1 with the seed by which something broke."""
    frozen = plans.read(Path(arguments.target))
    kinds = sorted({step["kind"] for step in frozen.plan["steps"]} & NOT_SIMULATED)
    if kinds:
        raise UsageFault(f"steps of kind {', '.join(kinds)} cannot be simulated in this version")
    runs = RUNS_DEFAULT if arguments.runs is None else count(arguments.runs, "--runs")
    given = parameters.from_text(frozen.plan, tuple(arguments.parameters))
    seeds = range(arguments.seed, arguments.seed + runs)
    coverage, violated = campaign(frozen.plan, frozen.hash, given, seeds, crash=arguments.crash)
    steps, edges = coverage.missed(frozen.plan)
    document: JsonObject = {
        "simulated": True,
        "workflow": frozen.plan["workflow"],
        "plan_hash": frozen.hash,
        "seed": arguments.seed,
        "runs": sum(coverage.ends.values()),
        "crashes": coverage.crashes,
        "ends": dict(sorted(coverage.ends.items())),
        "steps": dict(sorted(coverage.steps.items())),
        "edges": dict(sorted(coverage.edges.items())),
        "not_reached": {"steps": list(steps), "edges": list(edges)},
        "violation": None if violated is None else {"seed": violated.seed, "message": violated.message},
    }
    ends = ", ".join(f"{number} {end}" for end, number in sorted(coverage.ends.items()))
    lines = [
        f"simulated {document['runs']} runs with {coverage.crashes} crashes: {ends or 'none ended'}",
        f"  steps     {len(frozen.plan['steps']) - len(steps)} of {len(frozen.plan['steps'])} reached",
        f"  edges     {len(coverage.edges)} of {len(coverage.edges) + len(edges)} taken",
        *(f"  never     {missed}" for missed in (*steps, *edges)),
    ]
    if violated is not None:
        lines.append(f"  VIOLATED  {violated.message}")
        crash = " --crash" if arguments.crash else ""
        lines.append(f"  again     akm simulate {arguments.target} --runs 1 --seed {violated.seed}{crash}")
    emit(arguments, document, "\n".join(lines))
    return Exit.COMPLETED if violated is None else Exit.FAILED
