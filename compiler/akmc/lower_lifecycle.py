"""From the tree of a lifecycle to the table that `akm_specs.lifecycle` describes."""

from typing import Literal

from akm_specs.lifecycle import SCHEMA, Move, State
from akmc.lower_words import text
from akmc.lowered import Lowered, Lowering
from akmc.syntax import Parsed, Tree

_KINDS: dict[str, Literal["initial", "state", "final"]] = {"initial": "initial", "state": "state", "final": "final"}


def lower_lifecycle(parsed: Parsed) -> Lowered:
    """The states and moves in the order in which they are written; a move for each state that it leaves."""
    assert parsed.kind == "lifecycle", parsed.kind
    lowering = Lowering(parsed.source)
    name, title = parsed.tree.words()
    lowering.mark((), name.span)
    states: list[State] = []
    moves: list[Move] = []
    for tree in parsed.tree.trees():
        if tree.rule == "move":
            moves += _moves(lowering, tree, len(moves))
        else:
            states += _states(lowering, tree, len(states))
    head = {"schema": SCHEMA, "name": name.text, "title": text(lowering, title)}
    return lowering.finish({**head, "states": states, "moves": moves})


def _states(lowering: Lowering, tree: Tree, first: int) -> list[State]:
    names = [word for word in tree.words() if word.kind == "NAME"]
    meaning = "".join(text(lowering, word) for word in tree.words() if word.kind == "STRING")
    for at, name in enumerate(names, first):
        lowering.mark(("states", at), name.span)
    return [State(name=name.text, kind=_KINDS[tree.rule], meaning=meaning) for name in names]


def _moves(lowering: Lowering, tree: Tree, first: int) -> list[Move]:
    trigger, sources = tree.trees()
    (target,) = tree.words()
    (name,) = trigger.words()
    for at, source in enumerate(sources.words(), first):
        lowering.mark(("moves", at), source.span)
        lowering.mark(("moves", at, "target"), target.span)
    return [Move(trigger=name.text, source=source.text, target=target.text) for source in sources.words()]
