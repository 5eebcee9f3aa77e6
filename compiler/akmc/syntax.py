"""The syntax tree: what the parser hands on, so that only `parse.py` knows the parser library."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from akmc.source import Source, Span

Kind: TypeAlias = Literal["lifecycle", "workflow", "registry"]


@dataclass(frozen=True, slots=True)
class Word:
    """One token that carries meaning, such as a name or a number. `kind` is its terminal in the grammar."""

    kind: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Tree:
    """One rule of the grammar, with what it consists of; punctuation and keywords are left out."""

    rule: str
    children: "tuple[Tree | Word, ...]"
    span: Span

    def words(self) -> Iterator[Word]:
        """The words that stand directly in this rule, in order."""
        return (child for child in self.children if isinstance(child, Word))

    def trees(self) -> "Iterator[Tree]":
        """The rules that stand directly in this rule, in order."""
        return (child for child in self.children if isinstance(child, Tree))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A source that has no syntax error: what kind of document it is, and its tree."""

    source: Source
    kind: Kind
    tree: Tree
