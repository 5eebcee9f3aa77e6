"""What a scope comes to: the secrets that a process is given, and what it is told to keep to by itself.

The executor gives and withholds variables. Repositories and tools are a matter of the agent's own program, which is
told its scope (docs/reference/language.md).
"""

from collections.abc import Iterator

from akm.kernel.steps import process_step
from akm_specs.plan import Plan, ProcessStep, Scope


def scope_of(plan: Plan, step: ProcessStep, agent: str | None) -> Scope | None:
    """The scope in which `agent` works on `step`: the step's own, else all that the agent may have."""
    return step["scope"] or _ceiling(plan, agent)


def variable_names(plan: Plan, tool: str, agent: str | None, scope: Scope | None) -> tuple[str, ...]:
    """The variables that a process is given: its tool's, and its scope's secrets in the place of its agent's."""
    ceiling = _ceiling(plan, agent)
    if scope is None or ceiling is None:
        return tuple(plan["tools"][tool]["env"])
    withheld = set(ceiling["secrets"]) - set(scope["secrets"])
    given = (*plan["tools"][tool]["env"], *scope["secrets"])
    return tuple(name for name in dict.fromkeys(given) if name not in withheld)


def secrets_of_steps(plan: Plan) -> Iterator[tuple[str, str]]:
    """Each secret that the scope of a step names, with the step."""
    for step in plan["steps"]:
        work = process_step(step)
        if work is not None:
            for agent in _agents(work):
                scope = scope_of(plan, work, agent)
                yield from ((work["name"], name) for name in (() if scope is None else scope["secrets"]))


def _ceiling(plan: Plan, agent: str | None) -> Scope | None:
    return None if agent is None else plan["agents"][agent].get("scope")


def _agents(step: ProcessStep) -> list[str]:
    if step["kind"] == "panel":
        return list(dict.fromkeys(seat["agent"] for seat in step["seats"]))
    named = step["agent"] if step["kind"] in ("agent", "map", "judge") else None
    return [] if named is None else [named]
