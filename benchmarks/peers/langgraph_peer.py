"""LangGraph with its SQLite checkpointer, which uses WAL; SQLite's default there is a sync for each commit."""

import operator
import sqlite3
from pathlib import Path
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from scenario import STEPS_A_RUN, answer, note_step


class State(TypedDict):
    number: int
    count: int


class Fan(TypedDict):
    count: int
    results: Annotated[list[int], operator.add]


def saver(folder: Path) -> SqliteSaver:
    found = SqliteSaver(sqlite3.connect(folder / "langgraph.sqlite", check_same_thread=False))
    found.setup()
    return found


def chain(folder: Path, *, noted: bool):
    def step(state: State) -> dict[str, int]:
        if noted:
            note_step(folder, state["number"])
        return {"number": state["number"] + 1}

    graph = StateGraph(State)
    graph.add_node("step", step)
    graph.add_edge(START, "step")
    graph.add_conditional_edges("step", lambda state: END if state["number"] >= state["count"] else "step")
    return graph.compile(checkpointer=saver(folder))


def config(name: str, steps: int) -> dict[str, object]:
    return {"configurable": {"thread_id": name}, "recursion_limit": steps + 10}


def sequential(folder: Path, count: int) -> None:
    app = chain(folder, noted=False)
    assert app.invoke({"number": 0, "count": count}, config("one", count), durability="sync")["number"] == count


def runs(folder: Path, count: int) -> None:
    app = chain(folder, noted=False)
    for run in range(count):
        app.invoke({"number": 0, "count": STEPS_A_RUN}, config(f"run-{run}", STEPS_A_RUN), durability="sync")


def units(folder: Path, count: int) -> None:
    graph = StateGraph(Fan)
    graph.add_node("unit", lambda number: {"results": [1]})
    graph.add_conditional_edges(START, lambda state: [Send("unit", n) for n in range(state["count"])], ["unit"])
    graph.add_edge("unit", END)
    app = graph.compile(checkpointer=saver(folder))
    assert (
        sum(app.invoke({"count": count, "results": []}, config("one", 10), durability="sync")["results"]) == count
    )


def resumable(folder: Path, count: int) -> None:
    app = chain(folder, noted=True)
    again = app.get_state(config("one", count)).next != ()
    app.invoke(None if again else {"number": 0, "count": count}, config("one", count), durability="sync")


def opening(folder: Path, count: int) -> None:
    chain(folder, noted=False)


if __name__ == "__main__":
    answer({"sequential": sequential, "runs": runs, "units": units, "resumable": resumable, "open": opening})
