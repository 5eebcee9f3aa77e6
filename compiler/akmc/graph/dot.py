"""A drawing as DOT, the language of Graphviz."""

from akmc.graph.drawing import Drawing

_SHAPES = {"gate": "hexagon", "judge": "hexagon", "route": "diamond", "approval": "parallelogram"}


def dot(drawing: Drawing) -> str:
    """The drawing in DOT. Every text is quoted, so that none is read as DOT."""
    lines = ["digraph {", f"  label={_quoted(drawing.title)}", "  node [shape=box, style=rounded]"]
    for node in drawing.nodes:
        label = f"{node.name}\n{node.about}" if node.about else node.name
        shape = f", shape={_SHAPES[node.kind]}" if node.kind in _SHAPES else ""
        lines.append(f"  {_quoted(node.name)} [label={_quoted(label)}{shape}]")
    lines += [f"  {_quoted(end.name)} [shape=doublecircle, style=solid]" for end in drawing.ends]
    lines += [f'  "" [shape=point]\n  "" -> {_quoted(drawing.nodes[0].name)}']
    for arrow in drawing.arrows:
        weak = "" if arrow.written else ", style=dotted"
        side = ", constraint=false" if arrow.back else ""
        lines.append(
            f"  {_quoted(arrow.source)} -> {_quoted(arrow.target)} [label={_quoted(arrow.label)}{weak}{side}]"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
