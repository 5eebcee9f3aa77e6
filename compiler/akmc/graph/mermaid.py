"""A drawing as a Mermaid flowchart."""

from akmc.graph.drawing import Drawing, Node

#: Shapes by kind: what opens and closes a node's text in Mermaid.
_SHAPES = {
    "exec": ("[", "]"),
    "agent": ("([", "])"),
    "panel": ("[[", "]]"),
    "map": ("[[", "]]"),
    "gate": ("{{", "}}"),
    "judge": ("{{", "}}"),
    "approval": ("[/", "/]"),
    "wait": ("(", ")"),
    "route": ("{", "}"),
    "workflow": ("[[", "]]"),
    "deliver": ("[", "]"),
    "state": ("(", ")"),
}


def mermaid(drawing: Drawing) -> str:
    """The flowchart. Nodes are numbered, so that any name is drawn and none is read as Mermaid."""
    ids = {node.name: f"s{number}" for number, node in enumerate(drawing.nodes, start=1)}
    ids |= {end.name: f"e{number}" for number, end in enumerate(drawing.ends, start=1)}
    lines = ["flowchart TD", '  start(["start"]) --> s1']
    lines += [f"  {ids[node.name]}{_node(node)}" for node in drawing.nodes]
    lines += [f'  {ids[end.name]}((("{escaped(end.name)}")))' for end in drawing.ends]
    for arrow in drawing.arrows:
        line = "-->" if arrow.written else "-.->"
        lines.append(f'  {ids[arrow.source]} {line}|"{escaped(arrow.label)}"| {ids[arrow.target]}')
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """`text` with what Mermaid or HTML would read as markup written as entities."""
    return "".join(
        character if character.isalnum() or character in " _-.,:()" else f"#{ord(character)};" for character in text
    )


def _node(node: Node) -> str:
    opening, closing = _SHAPES[node.kind]
    about = f"<br/>{escaped(node.about)}" if node.about else ""
    return f'{opening}"{escaped(node.name)}{about}"{closing}'
