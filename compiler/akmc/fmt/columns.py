"""Columns: lines of one kind that follow each other directly are aligned, and so are the remarks behind them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from akmc.fmt.blocks import Part
from akmc.fmt.spelling import flat
from akmc.syntax import Word

#: How far a line may be widened for a longer neighbour's sake; beyond that a run is left as it is.
WIDENING_MAX = 40

#: Clauses whose arrows are aligned, by the word they begin with; those under one name are aligned together.
ARROWED = {"ON": "on", "WHEN": "branch", "OTHERWISE": "branch", "EXIT": "exit", "REJECT": "exit"}
#: Clauses of which the names and the titles are aligned.
STATES = frozenset({"INITIAL", "STATE", "FINAL"})


@dataclass(frozen=True, slots=True)
class Row:
    """A clause on one line, in cells. Rows of one `family` are aligned; the empty family never is.

    `spaced` says that a blank line comes before it.
    """

    family: str
    cells: tuple[str, ...]
    remark: str
    spaced: bool


#: An entry of a block: a row, or the lines of what takes several or is a comment.
Shown: TypeAlias = Row | list[str]


def row(parts: Sequence[Part], remark: str, spaced: bool) -> Row:
    """The row of a clause that stands on one line."""
    family, starts = _cut(parts)
    cells = [flat(parts[start:end]) for start, end in zip([0, *starts], [*starts, len(parts)], strict=True)]
    if family == "state":  # a title stands off a little further
        cells[2:] = [f" {title}" for title in cells[2:]]
    return Row(family, tuple(cells), remark, spaced)


def behind(line: str, remark: str) -> str:
    """`line` with a remark behind it, if there is one."""
    return f"{line}  {remark}" if remark else line


def aligned(shown: Sequence[Shown], indent: str) -> list[list[str]]:
    """The lines of each entry of a block that is set in by `indent`."""
    lines = [[] if isinstance(each, Row) else each for each in shown]
    for run in _runs(shown, lambda row: row.family):
        padded = _padded([row.cells for _, row in run])
        for (at, _), line in zip(run, padded, strict=True):
            lines[at] = [indent + line]
    for run in _runs(shown, lambda row: "#" if row.remark else ""):
        padded = _padded([(lines[at][0], f" {row.remark}") if row.remark else (lines[at][0],) for at, row in run])
        for (at, _), line in zip(run, padded, strict=True):
            lines[at] = [line]
    return lines


def _cut(parts: Sequence[Part]) -> tuple[str, list[int]]:
    """The family of a clause, and the parts with which its second and further cells begin."""
    words = [part if isinstance(part, Word) else None for part in parts]
    kinds = [word.kind if word is not None else "" for word in words]
    texts = [word.text if word is not None else "" for word in words]
    if kinds[0] in ARROWED and "_ARROW" in kinds:
        return ARROWED[kinds[0]], [kinds.index("_ARROW")]
    if texts[1:2] == [":"]:
        return ("move", [2]) if "_ARROW" in kinds else ("", [])
    if kinds[0] in STATES:
        return "state", [1, *(at for at, kind in enumerate(kinds) if kind == "STRING")]
    if kinds[0] == "PARAM" and ":" in texts:
        return "param", [texts.index(":") + 1]
    return "", []


def _padded(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Each row's cells in one line, one below the other where that widens none too much."""
    widths = [0] * max(map(len, rows))
    for column in range(len(widths)):
        lengths = [len(cells[column]) for cells in rows if len(cells) > column + 1]
        if lengths and max(lengths) - min(lengths) <= WIDENING_MAX:
            widths[column] = max(lengths)
    return [
        " ".join([*(cell.ljust(width) for cell, width in zip(cells[:-1], widths, strict=False)), cells[-1]])
        for cells in rows
    ]


def _runs(shown: Sequence[Shown], key: Callable[[Row], str]) -> list[list[tuple[int, Row]]]:
    """The rows with their places, in runs of neighbours that have one key; an empty key joins nothing."""
    runs: list[list[tuple[int, Row]]] = []
    previous = ""
    for at, each in enumerate(shown):
        if not isinstance(each, Row):
            previous = ""
            continue
        if key(each) and key(each) == previous and not each.spaced:
            runs[-1].append((at, each))
        else:
            runs.append([(at, each)])
        previous = key(each)
    return runs
