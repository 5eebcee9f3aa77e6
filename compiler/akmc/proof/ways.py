"""What leads to what while no budget stops a run: what is reached, what reaches an end, what shares a cycle."""

from collections.abc import Iterable, Sequence

from akmc.proof.model import Model


def reached(model: Model) -> frozenset[int]:
    """The nodes to which some outcomes lead from the first step, that step among them."""
    return _closure([0], [[edge.target for edge in leaving] for leaving in model.leaving])


def ending(model: Model) -> frozenset[int]:
    """The nodes from which some outcomes lead to a terminal, the terminals among them."""
    behind: list[list[int]] = [[] for _ in model.nodes]
    for edge in model.edges:
        behind[edge.target].append(edge.source)
    return _closure(range(len(model.steps), len(model.nodes)), behind)


def _closure(starts: Iterable[int], ahead: Sequence[Sequence[int]]) -> frozenset[int]:
    found = set(starts)
    pending = list(found)
    while pending:
        node = pending.pop()
        new = set(ahead[node] if node < len(ahead) else ()) - found
        found |= new
        pending += new
    return frozenset(found)


def components_of(model: Model) -> tuple[tuple[int, ...], ...]:
    """The steps, in groups of those that share a cycle; each group after all groups that it leads to.

    Source: Tarjan, Depth-first search and linear graph algorithms (1972), with a stack instead of recursion.
    """
    ahead = [[edge.target for edge in leaving if edge.target in model.steps] for leaving in model.leaving]
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_nodes: list[int] = []
    found: list[tuple[int, ...]] = []
    closed: set[int] = set()
    for root in model.steps:
        work = [] if root in order else [(root, 0)]
        while work:
            node, at = work.pop()
            if at == 0:
                order[node] = lowest[node] = len(order)
                open_nodes.append(node)
            elif (child := ahead[node][at - 1]) not in closed:
                lowest[node] = min(lowest[node], lowest[child])
            if at < len(ahead[node]):
                work.append((node, at + 1))
                if ahead[node][at] not in order:
                    work.append((ahead[node][at], 0))
            elif lowest[node] == order[node]:
                start = open_nodes.index(node)
                found.append(tuple(open_nodes[start:]))
                closed.update(found[-1])
                del open_nodes[start:]
    return tuple(found)
