"""Whether every name in a plan leads to something, and its work can begin.

A seal proves that nothing was altered, not that a compiler made it: what would stop a run in its middle is refused
before it starts.
"""

from collections.abc import Iterator, Mapping

from akm.kernel.identity import UnknownId, read_id
from akm.kernel.steps import process_step
from akm_specs.plan import TERMINALS, Plan, Step


def dangling(plan: Plan) -> Iterator[str]:
    """What of `plan` leads nowhere, in words; nothing for a plan that a compiler made."""
    names = [step["name"] for step in plan["steps"]]
    if not names:
        yield "it has no step"
    for name in names:
        if names.count(name) > 1:
            yield f"it has two steps `{name}`"
        if not _is_name(name):
            yield f"no step can be called `{name}`"
    for agent, entry in plan["agents"].items():
        yield from _known("tool", entry["tool"], plan["tools"], f"agent `{agent}`")
    for stated in plan.get("properties", []):
        told = (str(value) for member, value in stated.items() if member not in ("kind", "count"))
        yield from (each for name in told for each in _known("step", name, names, "a property"))
    for step in plan["steps"]:
        yield from _of_step(plan, step, names)


def _is_name(name: str) -> bool:
    """Whether ids that are made of `name` can be read back."""
    try:
        return read_id(f"{name}#1").step == name
    except UnknownId:
        return False


def _of_step(plan: Plan, step: Step, names: list[str]) -> Iterator[str]:
    where = f"step `{step['name']}`"
    for outcome, edge in step["transitions"].items():
        if edge["target"] not in (*names, *TERMINALS):
            yield f"{where} leads to `{edge['target']}` on {outcome}, which is neither a step nor an end"
    for outcome in _owed(step):
        if outcome not in step["transitions"]:
            yield f"{where} leads nowhere on {outcome}"
    if "gate" in step:
        yield from _work(plan, step["gate"]["tool"], step["gate"]["judge"], f"the gate of {where}")
    if step["kind"] == "deliver":
        for name in step["repositories"]:
            yield from _known("repository", name, plan.get("repositories", {}), where)
    if (step["kind"] == "panel" or step["kind"] == "map") and step["parallel"]["value"] < 1:
        yield f"{where} allows no work at once"
    work = process_step(step)
    if work is not None and work["kind"] == "panel":
        if len(work["seats"]) != work["maximum"]["value"]:
            yield f"{where} has {len(work['seats'])} seats for {work['maximum']['value']} assignments"
        for seat in work["seats"]:
            yield from _work(plan, seat["tool"], seat["agent"], where)
    elif work is not None:
        agent = work["agent"] if work["kind"] in ("agent", "map", "judge") else None
        yield from _work(plan, work["tool"], agent, where)


def _owed(step: Step) -> Iterator[str]:
    """The outcomes that a step may come to which is where all others lead."""
    if "skip" in step:
        yield "skipped"
    if step["kind"] == "wait":
        yield from ("passed",) if step["wait"] == "span" else ("passed", "expired")
    elif step["kind"] == "approval":
        yield from ("passed", "rejected", "expired")
    elif step["kind"] != "route":
        yield "failed"
    elif not step["transitions"].keys() & {"otherwise", "failed"} and step["transitions"].keys() != {
        "true",
        "false",
    }:
        yield "otherwise"


def _work(plan: Plan, tool: str, agent: str | None, where: str) -> Iterator[str]:
    yield from _known("tool", tool, plan["tools"], where)
    if agent is not None:
        yield from _known("agent", agent, plan["agents"], where)


def _known(kind: str, name: str, known: Mapping[str, object] | list[str], where: str) -> Iterator[str]:
    if name not in known:
        yield f"{where} names the {kind} `{name}`, which is not in it"
