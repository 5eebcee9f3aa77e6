"""Drawing a plan as a Mermaid flowchart: steps with their kind, outcomes on the edges, terminals."""

from collections.abc import Iterator

from akm_specs.plan import TERMINALS, Plan, Step, Transition
from akmc.wording import duration_text

#: Shapes by kind: what opens and closes a node's text in Mermaid.
_SHAPES = {
    "exec": ("[", "]"),
    "agent": ("([", "])"),
    "gate": ("{{", "}}"),
    "approval": ("[/", "/]"),
    "wait": ("(", ")"),
    "route": ("{", "}"),
}


def mermaid(plan: Plan) -> str:
    """The flowchart of `plan`. Steps are numbered, so that any name is drawn and none is read as Mermaid."""
    ids = {step["name"]: f"s{number}" for number, step in enumerate(plan["steps"], start=1)}
    lines = ["flowchart TD", '  start(["start"]) --> s1']
    lines += [f"  {ids[step['name']]}{_node(step)}" for step in plan["steps"]]
    ends = {each["target"] for step in plan["steps"] for each in step["transitions"].values()}
    lines += [f'  {name}((("{name}")))' for name in TERMINALS if name in ends]
    lines += [line for step in plan["steps"] for line in _edges(step, ids)]
    return "\n".join(lines) + "\n"


def _node(step: Step) -> str:
    opening, closing = _SHAPES[step["kind"]]
    return f'{opening}"{_text(step["name"])}<br/>{_text(_kind(step))}"{closing}'


def _kind(step: Step) -> str:
    """The kind of `step` and what it is about, such as "exec publish"."""
    match step["kind"]:
        case "agent":
            return f"agent {step['agent']}"
        case "exec":
            return f"exec {step['tool']}"
        case "gate":
            return f"gate {step['tool'] if step['check'] == 'tool' else step['check']}"
        case "wait":
            about = f"signal {step['signal']}" if step["wait"] == "signal" else duration_text(step["span_ms"])
            return f"wait {about}"
        case kind:
            return kind


def _edges(step: Step, ids: dict[str, str]) -> Iterator[str]:
    """The edges out of `step`, by outcome; what is only a default comes last, and dotted."""
    leaving = sorted(step["transitions"].items(), key=lambda each: (each[1]["origin"] == "defaulted", each[0]))
    for outcome, transition in leaving:
        arrow = "-->" if transition["origin"] == "declared" else "-.->"
        target = ids.get(transition["target"], transition["target"])
        yield f'  {ids[step["name"]]} {arrow}|"{_text(_label(outcome, transition))}"| {target}'


def _label(outcome: str, transition: Transition) -> str:
    maximum = transition["maximum"]
    return outcome if maximum is None else f"{outcome}, max {maximum['value']}"


def _text(text: str) -> str:
    """`text` with what Mermaid or HTML would read as markup written as entities."""
    return "".join(
        character if character.isalnum() or character in " _-.,:()" else f"#{ord(character)};" for character in text
    )
