"""Getting a frozen plan from a file: a plan is read and proved, a source is compiled first."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import cast

from akm.engine.plan_names import dangling
from akm_specs import lifecycle, reader
from akm_specs import plan as plan_types
from akm_specs.canonical import JsonObject, NotStrictJson, SealBroken, canonical, seal, unseal
from akm_specs.nesting import DEPTH_MAX, child_plan, depth
from akm_specs.plan import PLAN_BYTES_MAX, Plan
from akm_specs.types import BadType, bad_patterns, check_type

#: The kinds of steps that the kernel drives.
DRIVEN = frozenset(
    {"exec", "gate", "agent", "panel", "map", "judge", "deliver", "approval", "wait", "route", "workflow"}
)


#: Plans that are proved only once, as long as they are the same to the byte: a program starts many runs of few.
_PLANS_REMEMBERED_MAX = 8


class PlanUnreadable(Exception):
    """The file is missing, unreadable, too large, or holds no plan."""


class PlanAltered(Exception):
    """The plan's content does not have the hash that it states, or pins other lifecycle tables than ours."""


class SourceRefused(Exception):
    """The compiler refuses the source; the message is what it would show. `findings` are the same as data."""

    def __init__(self, shown: str, findings: list[JsonObject]) -> None:
        super().__init__(shown)
        self.findings = findings


class FrozenPlan:
    """A plan that was proved: its content, its hash, and its sealed bytes."""

    __slots__ = ("data", "hash", "plan")

    def __init__(self, plan: Plan, plan_hash: str, data: bytes) -> None:
        self.plan = plan
        self.hash = plan_hash
        self.data = data


def read(path: Path) -> FrozenPlan:
    """The plan in `path`, which is a plan file or, by its ending, a source that is compiled first.

    Raises PlanUnreadable, PlanAltered or SourceRefused.
    """
    if path.suffix == ".json":
        return _proved(_read_bytes(path), str(path))
    return _proved(_compiled(path), str(path))


@lru_cache(maxsize=_PLANS_REMEMBERED_MAX)
def _proved(data: bytes, name: str) -> FrozenPlan:
    return from_bytes(data, name)


def from_bytes(data: bytes, name: str) -> FrozenPlan:
    """The plan in `data`; `name` is for messages. Raises PlanUnreadable or PlanAltered."""
    try:
        body, found = unseal(data)
    except NotStrictJson as error:
        raise PlanUnreadable(f"{name} is no plan: {error}") from error
    except SealBroken as error:
        raise PlanAltered(f"{name}: {error}") from error
    if body.get("schema") != plan_types.SCHEMA:
        raise PlanUnreadable(f"{name} is no plan: its schema is {body.get('schema')!r}, not {plan_types.SCHEMA!r}")
    _check(body, name)
    _check_children(cast(Plan, body), name)
    return FrozenPlan(cast(Plan, body), found, canonical({**body, "hash": found}))


def _compiled(path: Path) -> bytes:
    """The plan of a source. The one place where the executor knows the compiler, and only when it is asked."""
    from akmc.diagnostic import CompileFailed
    from akmc.pipeline import compile_workflow, registry_beside
    from akmc.reports.json import to_json
    from akmc.reports.text import to_text
    from akmc.source import Source, SourceUnreadable

    try:
        return compile_workflow(Source.read(str(path)), registry_beside(str(path))).data
    except SourceUnreadable as error:
        raise PlanUnreadable(str(error)) from error
    except CompileFailed as failed:
        shown = "\n".join(to_text(found, colour=False) for found in failed.diagnostics)
        raise SourceRefused(shown, [to_json(found) for found in failed.diagnostics]) from failed


def child(plan: Plan, plan_hash: str) -> FrozenPlan:
    """The child `plan_hash` of a plan that was proved, with all that is nested in it."""
    nested = child_plan(plan, plan_hash)
    return FrozenPlan(nested, plan_hash, seal(nested)[0])


def _check(body: JsonObject, name: str) -> None:
    """Whether a plan by itself, its children apart, is one that this akm can drive."""
    _check_shape(body, name)
    _check_kinds(cast(Plan, body), name)
    for astray in dangling(cast(Plan, body)):
        raise PlanUnreadable(f"{name} is no plan that akmc makes: {astray}")
    if body["lifecycles"] != lifecycle.tables_hash():
        raise PlanAltered(
            f"{name} was compiled for other lifecycle tables ({body['lifecycles'][:12]}…) than this akm has "
            f"({lifecycle.tables_hash()[:12]}…): compile it again"
        )


def _check_children(plan: Plan, name: str) -> None:
    """A child is pinned by its hash, and can be driven as its parent can."""
    try:
        if depth(plan) > DEPTH_MAX:
            raise PlanUnreadable(f"{name}: more than {DEPTH_MAX} workflows are nested in one another")
        nested = {plan_hash: child_plan(plan, plan_hash) for plan_hash in plan.get("children", {})}
    except KeyError as missing:
        raise PlanUnreadable(f"{name} is no plan that akmc makes: its child {missing} is not in it") from missing
    for plan_hash, one in nested.items():
        if seal(one)[1] != plan_hash:
            raise PlanAltered(f"{name}: its child {one['workflow']} is not the one that it pins ({plan_hash})")
        _check(cast(JsonObject, one), f"{name}: its child {one['workflow']}")


def _check_shape(body: JsonObject, name: str) -> None:
    """A hash proves that nothing was altered, not that a compiler made it."""
    plan, faults = reader.read(Plan, body)
    if faults:
        raise PlanUnreadable(f"{name} is no plan that akmc makes: {faults[0]}")
    for declared in _types(plan):
        try:
            check_type(declared)
        except BadType as error:
            raise PlanUnreadable(f"{name} is no plan that akmc makes: {error}") from error
        for _, bad in bad_patterns(declared):
            raise PlanUnreadable(f"{name} has a pattern that cannot be matched: {bad}")


def _types(plan: Plan) -> Iterator[JsonObject]:
    """Every type of parameters, outputs, signals and gates in `plan`."""
    yield from (parameter["type"] for parameter in plan["parameters"])
    for step in plan["steps"]:
        declared = (step.get("output"), step.get("type"))
        yield from (cast(JsonObject, each) for each in declared if each is not None)


def _check_kinds(plan: Plan, name: str) -> None:
    """What cannot be driven to its end is not begun."""
    for step in plan["steps"]:
        if step["kind"] not in DRIVEN:
            raise PlanUnreadable(f"{name}: this akm cannot drive step `{step['name']}` ({step['kind']}) yet")
        if step.get("isolation") == "worktree" and any("session" in plan["tools"][one] for one in _tools_of(step)):
            raise PlanUnreadable(f"{name}: step `{step['name']}` works in a worktree, where no session follows it")


def _tools_of(step: plan_types.Step) -> set[str]:
    return {each["tool"] for each in step["seats"]} if step["kind"] == "panel" else {str(step.get("tool"))}


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(PLAN_BYTES_MAX + 1)  # a device has no size that could be asked first
        if len(data) > PLAN_BYTES_MAX:
            raise PlanUnreadable(f"{path} is larger than {PLAN_BYTES_MAX} bytes")
        return data
    except OSError as error:
        raise PlanUnreadable(f"{path} cannot be read: {error.strerror}") from error
