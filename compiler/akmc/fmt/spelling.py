"""How words, and blocks that stay on one line, are spelled; and where a blank stands between two of them."""

from collections.abc import Sequence

from akmc.fmt.blocks import Block, Clause, Part
from akmc.fmt.texts import inline
from akmc.syntax import Word

#: Signs that follow what they belong to without a blank, and those that what follows belongs to.
_CLINGING = frozenset({",", ":", "?", ".", ".."})
_HOLDING = frozenset({".", ".."})


def spelled(word: Word) -> str:
    """The canonical spelling of a word that stands on one line."""
    match word.kind:
        case "STRING":
            return word.text
        case "TEXT":
            return inline(word)
        case _:
            return " ".join(word.text.split())


def blank_between(before: Part | None, after: Part) -> str:
    """What stands between two parts of a clause on one line: a blank, or nothing."""
    clings = isinstance(after, Word) and (after.text in _CLINGING or after.kind == "INDEX")
    holds = before is None or (isinstance(before, Word) and before.text in _HOLDING)
    return "" if clings or holds else " "


def flat(parts: Sequence[Part]) -> str:
    """The parts on one line."""
    pairs = zip((None, *parts), parts, strict=False)
    return "".join(blank_between(before, part) + _flat_part(part) for before, part in pairs)


def flat_block(block: Block) -> str:
    """A block on one line, its clauses parted by commas. It has no comment in it."""
    inner = ", ".join(flat(entry.parts) for entry in block.entries if isinstance(entry, Clause))
    blank = " " if inner and block.opener == "{" else ""
    return block.opener + blank + inner + blank + block.closer


def _flat_part(part: Part) -> str:
    return flat_block(part) if isinstance(part, Block) else spelled(part)
