"""From blocks to lines: what stands on a line of its own, and what stays together.

A block stays on one line where the author wrote it on one and it fits; in any other each clause has its own line.
Widths are taken before columns are aligned, so that laying out a second time changes nothing.
"""

from collections.abc import Iterator, Sequence

from akmc.fmt.blocks import Block, Entry, Part
from akmc.fmt.columns import Shown, aligned, behind, row
from akmc.fmt.gap import Comment
from akmc.fmt.spelling import blank_between, flat_block, spelled
from akmc.fmt.texts import lines_of, spans_lines
from akmc.syntax import Word

#: The column that a line may reach, where it has a block that can be broken.
WIDTH = 100
#: What each block is set in by.
INDENT = "  "


def laid_out(entries: Sequence[Entry]) -> str:
    """The text of a file."""
    return "".join(line + "\n" for line in _lines(entries, ""))


def _lines(entries: Sequence[Entry], indent: str) -> Iterator[str]:
    """The lines of entries that each begin a line, with the blank lines between them."""
    shown = [_shown(entry, indent) for entry in entries]
    for position, (entry, lines) in enumerate(zip(entries, aligned(shown, indent), strict=True)):
        if entry.spaced and position > 0:
            yield ""
        yield from lines


def _shown(entry: Entry, indent: str) -> Shown:
    if isinstance(entry, Comment):
        return [indent + entry.text]
    lines = _clause_lines(entry.parts, indent)
    if len(lines) == 1:
        return row(entry.parts, entry.remark, entry.spaced)
    return [*lines[:-1], behind(lines[-1], entry.remark)]


def _clause_lines(parts: Sequence[Part], indent: str) -> list[str]:
    """A clause without its remark, on as many lines as it needs."""
    lines = [indent]
    before: Part | None = None
    for position, part in enumerate(parts):
        lines[-1] += blank_between(before, part)
        first, *others = _part_lines(part, indent, len(lines[-1]) + _width_until_break(parts[position + 1 :], part))
        lines[-1] += first
        lines += others
        before = part
    return lines


def _part_lines(part: Part, indent: str, taken: int) -> list[str]:
    """A part of a clause; `taken` columns of its line are for what stands before and behind it."""
    if isinstance(part, Word):
        return lines_of(part, indent, indent + INDENT) if spans_lines(part) else [spelled(part)]
    if not part.broken:
        line = flat_block(part)
        if taken + len(line) <= WIDTH or not part.entries:
            return [line]
    return [behind(part.opener, part.remark), *_lines(part.entries, indent + INDENT), indent + part.closer]


def _width_until_break(parts: Sequence[Part], before: Part) -> int:
    """The columns that `parts` take on the line of `before`, up to where the first line end among them may be."""
    width = 0
    for part in parts:
        width += len(blank_between(before, part))
        if isinstance(part, Block):
            return width + len(part.opener)
        if spans_lines(part):
            return width + len(lines_of(part, "", "")[0])
        width += len(spelled(part))
        before = part
    return width
