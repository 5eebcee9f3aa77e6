"""`akmc graph`: draw a workflow or a lifecycle, or write it as a model for SPIN."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from akmc.cli.exits import FINE, USAGE
from akmc.cli.options import Commands, add_registry
from akmc.cli.plans import plan_of
from akmc.cli.streams import tell

if TYPE_CHECKING:
    from akm_specs.lifecycle import Lifecycle
    from akmc.graph.drawing import Drawing

_FORMS = ("mermaid", "dot", "svg", "promela")


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add(
        "graph", "draw a workflow or a lifecycle", "akmc graph release.akm --to svg > release.svg", run
    )
    command.add_argument(
        "source", metavar="SRC|PLAN", help="a workflow, a lifecycle, or a plan whose name ends in .json"
    )
    command.add_argument("--to", choices=_FORMS, default="mermaid", help="default: mermaid")
    add_registry(command)


def run(options: argparse.Namespace) -> int:
    """Prints the drawing, or the model."""
    from akmc.graph.drawing import lifecycle_drawing, plan_drawing
    from akmc.graph.promela import lifecycle_promela, plan_promela
    from akmc.proof.model import PlanNotWhole

    table = _lifecycle_in(options.source)
    if table is not None:
        drawn = (
            lifecycle_promela(table) if options.to == "promela" else _writer(options.to)(lifecycle_drawing(table))
        )
        print(drawn, end="")
        return FINE
    plan = plan_of(options.source, options.registry, proved=False)
    try:
        drawn = plan_promela(plan) if options.to == "promela" else _writer(options.to)(plan_drawing(plan))
    except PlanNotWhole as error:
        tell(f"{options.source}: no plan that a compiler made: {error}")
        return USAGE
    print(drawn, end="")
    return FINE


def _writer(form: str) -> "Callable[[Drawing], str]":
    from akmc.graph.dot import dot
    from akmc.graph.mermaid import mermaid
    from akmc.graph.svg import svg

    return {"mermaid": mermaid, "dot": dot, "svg": svg}[form]


def _lifecycle_in(path: str) -> "Lifecycle | None":
    """The table of the lifecycle whose source is in the file `path`; None where it holds something else."""
    from typing import cast

    from akm_specs.canonical import unseal
    from akmc.front_ends import is_lifecycle, read
    from akmc.lifecycle import freeze_lifecycle
    from akmc.source import Source

    if path.endswith(".json"):
        return None
    found = read(Source.read(path))
    if not is_lifecycle(found):
        return None
    table, _ = unseal(freeze_lifecycle(found))
    return cast("Lifecycle", table)
