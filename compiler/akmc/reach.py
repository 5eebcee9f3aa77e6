"""Which states of a lifecycle can be reached from which."""

from collections.abc import Iterable, Mapping

from akm_specs.lifecycle import Lifecycle


def names_resolve(table: Lifecycle) -> bool:
    """Whether there is one initial state and every move names states that exist.

    Until then nothing can be said about ways through the table.
    """
    names = {state["name"] for state in table["states"]}
    initials = [state for state in table["states"] if state["kind"] == "initial"]
    return len(initials) == 1 and all({move["source"], move["target"]} <= names for move in table["moves"])


def reached_from_initial(table: Lifecycle) -> frozenset[str]:
    """The states that some sequence of moves leads to, the initial one among them."""
    return _closure(_names_of_kind(table, "initial"), _edges(table, "source", "target"))


def reaching_final(table: Lifecycle) -> frozenset[str]:
    """The states from which some sequence of moves leads to a final state, the final ones among them."""
    return _closure(_names_of_kind(table, "final"), _edges(table, "target", "source"))


def _names_of_kind(table: Lifecycle, kind: str) -> list[str]:
    return [state["name"] for state in table["states"] if state["kind"] == kind]


def _edges(table: Lifecycle, tail: str, head: str) -> dict[str, set[str]]:
    edges: dict[str, set[str]] = {}
    for move in table["moves"]:
        ends = {"source": move["source"], "target": move["target"]}
        edges.setdefault(ends[tail], set()).add(ends[head])
    return edges


def _closure(starts: Iterable[str], edges: Mapping[str, Iterable[str]]) -> frozenset[str]:
    found: set[str] = set()
    pending = list(starts)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(edges.get(name, ()))
    return frozenset(found)
