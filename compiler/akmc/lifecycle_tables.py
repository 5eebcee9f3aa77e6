"""The reference page of the lifecycles, made from the compiled tables.

`python -m akmc.lifecycle_tables > docs/reference/lifecycles.md` writes it anew.
"""

import sys
from collections.abc import Iterable

from akm_specs.lifecycle import NAMES, Lifecycle, State, load

_HEAD = """\
# Lifecycles

Everything that lasts has a lifecycle: a table of states and of the moves between them. A move that is not in
its table does not exist, and an attempt to make it is refused. This page is made from the compiled tables by
`python -m akmc.lifecycle_tables`; their sources are in `specs/akm_specs/lifecycles/`.
"""


def page(tables: Iterable[Lifecycle]) -> str:
    """The page, in Markdown: of each lifecycle a diagram, and each state with its exits."""
    return "\n".join([_HEAD, *(_section(table) for table in tables)])


def _section(table: Lifecycle) -> str:
    rows = [_row(table, state) for state in table["states"]]
    return "\n".join(
        [
            f"## {table['name']}",
            "",
            f"{table['title']}.",
            "",
            "```mermaid",
            *_diagram(table),
            "```",
            "",
            "| State | Meaning | Exits |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _row(table: Lifecycle, state: State) -> str:
    exits = [
        f"`{move['trigger']}` → `{move['target']}`" for move in table["moves"] if move["source"] == state["name"]
    ]
    name = f"`{state['name']}`" + (f" ({state['kind']})" if state["kind"] != "state" else "")
    return f"| {name} | {_cell(state['meaning'])} | {', '.join(exits) or 'none'} |"


def _diagram(table: Lifecycle) -> list[str]:
    """One arrow for each pair of states, with all triggers that lead from the one to the other."""
    triggers: dict[tuple[str, str], list[str]] = {}
    for move in table["moves"]:
        triggers.setdefault((move["source"], move["target"]), []).append(move["trigger"])
    names = {"initial": "    [*] --> {0}", "final": "    {0} --> [*]"}
    ends = [names[state["kind"]].format(state["name"]) for state in table["states"] if state["kind"] in names]
    order = [state["name"] for state in table["states"]]
    pairs = sorted(triggers, key=lambda pair: (order.index(pair[0]), order.index(pair[1])))
    arrows = [f"    {source} --> {target}: {', '.join(triggers[source, target])}" for source, target in pairs]
    return ["stateDiagram-v2", *ends[:1], *arrows, *ends[1:]]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(page(load(name) for name in NAMES))
