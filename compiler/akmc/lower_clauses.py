"""From the clauses of a block to the members of a JSON object: what may be said once, and what often."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from akm_specs.canonical import Json, JsonObject
from akmc.document import Place
from akmc.lowered import Lowering
from akmc.source import Span
from akmc.syntax import Tree, Word

REPEATED = "AKM0006"

#: Gives the JSON of one clause, and marks the places inside it.
Lower: TypeAlias = Callable[[Lowering, Tree, Place], Json]


@dataclass(frozen=True, slots=True)
class Clause:
    """How one clause of the grammar is lowered: into which member, and whether that is a list of all of them."""

    member: str
    lower: Lower
    often: bool = False


def lower_clauses(
    lowering: Lowering, clauses: Iterable[Tree], place: Place, table: Mapping[str, Clause]
) -> JsonObject:
    """The members that `clauses` state. A clause that may be said once and is said twice is a finding."""
    found: JsonObject = {}
    for tree in clauses:
        clause = table[tree.rule]
        if clause.often:
            entries = found.setdefault(clause.member, [])
            inner: Place = (*place, clause.member, len(entries))
            lowering.mark(inner, tree.span)
            entries.append(clause.lower(lowering, tree, inner))
        elif clause.member in found:
            word = lowering.source.text[tree.span.start : tree.span.end].split(maxsplit=1)[0]
            report_repeated(lowering, tree.span, f"`{word}`")
        else:
            inner = (*place, clause.member)
            lowering.mark(inner, tree.span)
            found[clause.member] = clause.lower(lowering, tree, inner)
    return found


def of_word(read: Callable[[Lowering, Word], Json]) -> Lower:
    """Lowers a clause of one word."""

    def lower(lowering: Lowering, tree: Tree, place: Place) -> Json:
        (word,) = tree.words()
        return read(lowering, word)

    return lower


def of_words(read: Callable[[Lowering, Word], Json]) -> Lower:
    """Lowers a clause of any number of words to a list."""

    def lower(lowering: Lowering, tree: Tree, place: Place) -> Json:
        for at, word in enumerate(tree.words()):
            lowering.mark((*place, at), word.span)
        return [read(lowering, word) for word in tree.words()]

    return lower


def of_names(kind: str, *members: str) -> Lower:
    """Lowers a clause of as many names as `members` to an object of that `kind`."""

    def lower(lowering: Lowering, tree: Tree, place: Place) -> Json:
        words = dict(zip(members, tree.words(), strict=True))
        for member, word in words.items():
            lowering.mark((*place, member), word.span)
        return {"kind": kind, **{member: word.text for member, word in words.items()}}

    return lower


def said(lowering: Lowering, tree: Tree, place: Place) -> Json:
    """Lowers a clause that says all by being there."""
    return True


def report_repeated(lowering: Lowering, span: Span, what: str) -> None:
    """`what` stands at `span` a second time."""
    lowering.report(REPEATED, span, f"{what} is said twice in one block", "keep one of the two")
