"""A drawing as SVG, laid out here: no other program is needed.

Nodes stand one below another in the order of the source, as the reader knows them. What leads to the next node
goes straight down, what leads further down bends round on the right, and what leads back on the left.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from akmc.graph.drawing import Arrow, Drawing, Node

#: Sizes in pixels. A character of the labels' font is about so wide; characters of East Asia count twice.
_NODE_HEIGHT, _GAP, _LANE, _MARGIN, _CHARACTER = 44, 46, 26, 24, 7.2

_STYLE = """\
  <style>
    svg { color: #1f2328; background: #ffffff; font: 12px ui-monospace, monospace }
    @media (prefers-color-scheme: dark) { svg { color: #e6edf3; background: #0d1117 } }
    rect, path { fill: none; stroke: currentColor } text { fill: currentColor; text-anchor: middle }
    .about, .label { font-size: 10px } .label { paint-order: stroke; stroke: canvas; stroke-width: 4px }
    .weak { stroke-dasharray: 3 3 } .end { stroke-width: 2.5 } marker path { fill: currentColor }
  </style>
  <defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
<path d="M0 0 8 4 0 8z"/></marker></defs>"""


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where things stand: `rows` by name, `lanes` by the place of their arrow, counted outwards on each side."""

    rows: dict[str, int]
    lanes: dict[int, int]
    left: int  # lanes on the left
    right: int
    width: float  # of a node

    @property
    def middle(self) -> float:
        return _MARGIN + self.left * _LANE * 2 + self.width / 2

    def top(self, name: str) -> float:
        return _MARGIN * 2 + self.rows[name] * (_NODE_HEIGHT + _GAP)


def svg(drawing: Drawing) -> str:
    """The drawing in SVG, readable on light and dark ground."""
    layout = _layout(drawing)
    nodes = (*drawing.nodes, *drawing.ends)
    width = layout.middle + layout.width / 2 + layout.right * _LANE * 2 + _MARGIN
    height = _MARGIN * 3 + len(nodes) * (_NODE_HEIGHT + _GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">',
        f"  <title>{_text(drawing.title)}</title>",
        _STYLE,
        *(line for node in nodes for line in _node(node, layout)),
        *(line for at, arrow in enumerate(drawing.arrows) for line in _arrow(at, arrow, layout)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _layout(drawing: Drawing) -> _Layout:
    nodes = (*drawing.nodes, *drawing.ends)
    rows = {node.name: row for row, node in enumerate(nodes)}
    sides: dict[bool, list[list[tuple[int, int]]]] = {True: [], False: []}
    lanes: dict[int, int] = {}
    for at in sorted(range(len(drawing.arrows)), key=lambda at: _length(drawing.arrows[at], rows)):
        arrow = drawing.arrows[at]
        if rows[arrow.target] == rows[arrow.source] + 1 and (arrow.source, arrow.target) not in _straight(
            lanes, drawing
        ):
            lanes[at] = -1
            continue
        top, bottom = sorted((rows[arrow.source], rows[arrow.target]))
        side = sides[_leads_back(arrow, rows)]
        lane = next(
            (lane for lane, spans in enumerate(side) if all(b < top or a > bottom for a, b in spans)), len(side)
        )
        if lane == len(side):
            side.append([])
        side[lane].append((top, bottom))
        lanes[at] = lane
    longest = max(_width(text) for node in nodes for text in (node.name, node.about))
    return _Layout(rows, lanes, len(sides[True]), len(sides[False]), max(120.0, longest + 24))


def _straight(lanes: dict[int, int], drawing: Drawing) -> set[tuple[str, str]]:
    """The pairs of neighbours that an arrow joins straight already."""
    return {(drawing.arrows[at].source, drawing.arrows[at].target) for at, lane in lanes.items() if lane < 0}


def _length(arrow: Arrow, rows: dict[str, int]) -> int:
    return abs(rows[arrow.target] - rows[arrow.source])


def _leads_back(arrow: Arrow, rows: dict[str, int]) -> bool:
    return rows[arrow.target] <= rows[arrow.source]


def _node(node: Node, layout: _Layout) -> Iterator[str]:
    x, y = layout.middle - layout.width / 2, layout.top(node.name)
    kind = ' class="end"' if node.kind == "end" else ""
    yield f'  <rect x="{x:.1f}" y="{y:.1f}" width="{layout.width:.1f}" height="{_NODE_HEIGHT}" rx="8"{kind}/>'
    yield f'  <text x="{layout.middle:.1f}" y="{y + (19 if node.about else 27):.1f}">{_text(node.name)}</text>'
    if node.about:
        yield f'  <text class="about" x="{layout.middle:.1f}" y="{y + 34:.1f}">{_text(node.about)}</text>'


def _arrow(at: int, arrow: Arrow, layout: _Layout) -> Iterator[str]:
    lane = layout.lanes[at]
    weak = "" if arrow.written else ' class="weak"'
    if lane < 0:
        x, y = layout.middle, layout.top(arrow.source) + _NODE_HEIGHT
        yield f'  <path d="M{x:.1f} {y:.1f}V{y + _GAP:.1f}" marker-end="url(#tip)"{weak}/>'
        yield f'  <text class="label" x="{x:.1f}" y="{y + _GAP / 2 + 3:.1f}">{_text(arrow.label)}</text>'
        return
    side = -1 if _leads_back(arrow, layout.rows) else 1
    edge = layout.middle + side * layout.width / 2
    bend = edge + side * (lane + 1) * _LANE * 1.8
    shift = 4 + 6 * (at % 4)
    start, stop = layout.top(arrow.source) + 12 + shift, layout.top(arrow.target) + _NODE_HEIGHT - 12 - shift
    if arrow.source == arrow.target:
        start, stop = layout.top(arrow.source) + 8, layout.top(arrow.source) + _NODE_HEIGHT - 8
    path = f"M{edge:.1f} {start:.1f}C{bend:.1f} {start:.1f} {bend:.1f} {stop:.1f} {edge:.1f} {stop:.1f}"
    yield f'  <path d="{path}" marker-end="url(#tip)"{weak}/>'
    at_x, at_y = edge + (bend - edge) * 0.75, (start + stop) / 2 + 3
    yield f'  <text class="label" x="{at_x:.1f}" y="{at_y:.1f}">{_text(arrow.label)}</text>'


def _width(text: str) -> float:
    return sum(_CHARACTER * (2 if ord(character) > 0x2E7F else 1) for character in text)


def _text(text: str) -> str:
    """`text` as XML may hold it."""
    printable = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return escape(printable)
