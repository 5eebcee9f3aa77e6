"""What a drawing shows: nodes with what they are about, ends, and arrows with their labels."""

from collections.abc import Iterator
from dataclasses import dataclass

from akm_specs.lifecycle import Lifecycle
from akm_specs.plan import TERMINALS, Plan, Step, Transition
from akmc.wording import duration_text


@dataclass(frozen=True, slots=True)
class Node:
    """A step, a state or an end. `about` is a second line of text, empty for none."""

    name: str
    kind: str
    about: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """A way from one node to another. `written` is False for one that is only a default."""

    source: str
    target: str
    label: str
    back: bool
    written: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes in the order of the source, the first of which is the start; then the ends that are reached."""

    title: str
    nodes: tuple[Node, ...]
    ends: tuple[Node, ...]
    arrows: tuple[Arrow, ...]


def plan_drawing(plan: Plan) -> Drawing:
    """The steps of a plan and what their outcomes lead to."""
    arrows = tuple(arrow for step in plan["steps"] for arrow in _arrows(step))
    targets = {arrow.target for arrow in arrows}
    return Drawing(
        plan["title"],
        tuple(Node(step["name"], step["kind"], _about(step)) for step in plan["steps"]),
        tuple(Node(name, "end", "") for name in TERMINALS if name in targets),
        arrows,
    )


def lifecycle_drawing(table: Lifecycle) -> Drawing:
    """The states of a lifecycle and the moves between them, its initial state first."""
    order = {"initial": 0, "state": 1, "final": 2}
    states = sorted(table["states"], key=lambda state: order[state["kind"]])
    place = {state["name"]: at for at, state in enumerate(states)}
    triggers: dict[tuple[str, str], list[str]] = {}
    for move in table["moves"]:
        triggers.setdefault((move["source"], move["target"]), []).append(move["trigger"])
    return Drawing(
        table["title"],
        tuple(Node(state["name"], "state", "") for state in states if state["kind"] != "final"),
        tuple(Node(state["name"], "end", "") for state in states if state["kind"] == "final"),
        tuple(
            Arrow(source, target, ", ".join(sorted(names)), place[target] <= place[source], written=True)
            for (source, target), names in sorted(
                triggers.items(), key=lambda each: (place[each[0][0]], each[0][1])
            )
        ),
    )


def _arrows(step: Step) -> Iterator[Arrow]:
    """The edges out of `step`, by outcome; what is only a default comes last."""
    leaving = sorted(step["transitions"].items(), key=lambda each: (each[1]["origin"] == "defaulted", each[0]))
    for outcome, transition in leaving:
        written = transition["origin"] == "declared"
        yield Arrow(step["name"], transition["target"], _label(outcome, transition), transition["back"], written)


def _label(outcome: str, transition: Transition) -> str:
    maximum = transition["maximum"]
    return outcome if maximum is None else f"{outcome}, max {maximum['value']}"


def _about(step: Step) -> str:
    """The kind of `step` and what it is about, such as "exec publish"."""
    match step["kind"]:
        case "agent" | "judge":
            return f"{step['kind']} {step['agent']}"
        case "exec":
            return f"exec {step['tool']}"
        case "gate":
            return f"gate {step['tool'] if step['check'] == 'tool' else step['check']}"
        case "panel":
            return f"panel of {step['target']['value']}"
        case "map":
            return f"map {step['agent'] or step['tool']}"
        case "wait":
            about = f"signal {step['signal']}" if step["wait"] == "signal" else duration_text(step["span_ms"])
            return f"wait {about}"
        case "deliver":
            return f"deliver {', '.join(step['repositories'])}"
        case kind:
            return kind
