"""A script: how the work of a simulated run ends, in the place of real tools (docs/reference/simulation.md).

It is held against the plan before the run is made, and every step whose work it stands in for has an entry: where
it has no answer, nothing is made up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict, cast

from akm.journal.history import OpenRun
from akm.journal.store import Store
from akm.kernel.identity import AssignmentId, UnknownId, read_id
from akm.kernel.steps import process_step, reply_outcomes
from akm.kernel.units import Unit, unit_of
from akm_specs.canonical import Json, JsonObject, NotCanonical, NotStrictJson, canonical, hash_bytes, parse_json
from akm_specs.nesting import child_plan
from akm_specs.plan import PLAN_BYTES_MAX, Plan, Step
from akm_specs.reader import read

#: Largest script, in bytes: as much as a plan may have.
SCRIPT_BYTES_MAX = PLAN_BYTES_MAX


class ScriptRefused(ValueError):
    """The script cannot stand in for the tools of the plan; the message says where and why."""


class Answer(TypedDict):
    """What a receipt query would say."""

    found: bool
    receipt: NotRequired[Json]


class End(TypedDict):
    """How one attempt ends: exactly one of the first seven says so. `output` goes with an outcome or an exit."""

    outcome: NotRequired[str]
    exit: NotRequired[int]
    reply: NotRequired[str]
    verdict: NotRequired[dict[str, Json]]
    signal: NotRequired[int]
    timed_out: NotRequired[Literal[True]]
    never_started: NotRequired[str]
    output: NotRequired[Json]
    receipt: NotRequired[Answer]


_WAYS = frozenset({"outcome", "exit", "reply", "verdict", "signal", "timed_out", "never_started"})


@dataclass(frozen=True, slots=True)
class Script:
    """The entries of one plan: ends by step or assignment, whether gates hold, and the scripts of child plans."""

    ends: Mapping[str, End | list[End]]
    gates: Mapping[str, bool]
    children: "Mapping[str, Script]"

    def end(self, attempt: str) -> End | None:
        """How `attempt` ends; None where the script has no answer.

        Of a list, an assignment's own gives each of its attempts one end, and its step's each of its entries.
        """
        assignment, _, number = attempt.rpartition("/")
        found = read_id(assignment)
        if assignment in self.ends:
            return _at(self.ends[assignment], int(number))
        entry = self.ends.get(f"{found.step}.gate" if found.judge else found.step)
        return None if entry is None else _at(entry, found.number)


def kept(document: JsonObject) -> dict[str, bytes]:
    """The script as a file of the content-addressed store."""
    data = canonical(document)
    return {hash_bytes(data): data}


def of_run(store: Store, run: OpenRun) -> Script:
    """The script of a simulated run; of a child, the part of its eldest's. Raises Damaged."""
    assert run.state.script is not None, run.run
    way: list[str] = []
    parent = run.state.parent
    plan = run.plan
    while parent is not None:
        way.append(read_id(parent.assignment).step)
        eldest = store.load(parent.run)
        parent, plan = eldest.state.parent, eldest.plan
    found = script_of(plan, cast(JsonObject, parse_json(store.blob(run.state.script))))
    for step in reversed(way):
        found = found.children[step]
    return found


def _at(entry: End | list[End], number: int) -> End | None:
    if not isinstance(entry, list):
        return entry
    return entry[number - 1] if number <= len(entry) else None


def load(path: Path, plan: Plan) -> JsonObject:
    """The script in `path`, as JSON that fits `plan`. Raises ScriptRefused."""
    document = _document(path)
    script_of(plan, document)
    return document


def given(script: Mapping[str, Json] | str | PathLike[str], plan: Plan) -> JsonObject:
    """A script as a host program has it, or in a file, as JSON that fits `plan`. Raises ScriptRefused."""
    if not isinstance(script, Mapping):
        return load(Path(script), plan)
    try:
        found = parse_json(canonical(dict(script)))
    except (NotStrictJson, NotCanonical) as error:
        raise ScriptRefused(f"the script is no JSON: {error}") from error
    assert isinstance(found, dict), "it was made of one"
    script_of(plan, found)
    return found


def _document(path: Path) -> JsonObject:
    try:
        with path.open("rb") as file:
            data = file.read(SCRIPT_BYTES_MAX + 1)
        if len(data) > SCRIPT_BYTES_MAX:
            raise ScriptRefused(f"{path} is larger than {SCRIPT_BYTES_MAX} bytes")
        found = parse_json(data)
        canonical(found)
    except OSError as error:
        raise ScriptRefused(f"{path} cannot be read: {error.strerror}") from error
    except (NotStrictJson, NotCanonical) as error:
        raise ScriptRefused(f"{path} is no strict JSON: {error}") from error
    if not isinstance(found, dict):
        raise ScriptRefused(f"{path} holds no JSON object: it names steps, each with how its work ends")
    return found


def script_of(plan: Plan, document: Mapping[str, Json], place: str = "") -> Script:
    """The script that `document` is for `plan`. Raises ScriptRefused."""
    steps = {step["name"]: step for step in plan["steps"]}
    ends: dict[str, End | list[End]] = {}
    gates: dict[str, bool] = {}
    children: dict[str, Script] = {}
    for key, entry in document.items():
        here, (step, unit) = f"{place}{key}", _named(plan, steps, key, f"{place}{key}")
        if unit is not None:
            ends[key] = _ends(entry, unit, here)
        elif step["kind"] == "workflow":
            inner = _only_member(entry, "steps", dict, here)
            children[key] = script_of(child_plan(plan, step["plan"]), inner, f"{here} > ")
        else:
            gates[key] = _only_member(entry, "holds", bool, here)
    for name in _owed(plan):
        answered = {*gates, *children, *(key.partition("#")[0] for key in ends)}
        if name not in answered:
            raise ScriptRefused(f"{place}{name}: the script does not say how its work ends")
    return Script(ends, gates, children)


def _named(plan: Plan, steps: Mapping[str, Step], key: str, here: str) -> tuple[Step, Unit | None]:
    """The step that an entry is about, and a unit of the kind of work that it answers for."""
    try:
        found = read_id(key if "#" in key else f"{key}#1")
        step = steps[found.step]
        if step["kind"] == "workflow" or (step["kind"] == "gate" and step["check"] == "artifacts_exist"):
            if "#" not in key and not found.judge:
                return step, None
            raise UnknownId(key)
        return step, unit_of(plan, str(found if "#" in key else _any_part(step, found)))
    except KeyError as error:
        raise ScriptRefused(f"{here}: the plan has no work of this name that a script stands in for") from error


def _any_part(step: Step, found: AssignmentId) -> AssignmentId:
    """An assignment of a step, where it has several."""
    if found.judge:
        return found
    if step["kind"] == "panel":
        return AssignmentId(found.step, 1, "1")
    if step["kind"] == "deliver":
        return AssignmentId(found.step, 1, step["repositories"][0])
    return found


def _owed(plan: Plan) -> Iterator[str]:
    """The names of everything that the script has to answer for."""
    for step in plan["steps"]:
        artifacts = step["kind"] == "gate" and step["check"] == "artifacts_exist"
        if process_step(step) is not None or step["kind"] in ("deliver", "workflow") or artifacts:
            yield step["name"]
        if "gate" in step:
            yield f"{step['name']}.gate"


def _ends(entry: Json, unit: Unit, here: str) -> End | list[End]:
    if isinstance(entry, list):
        return [_end(each, unit, f"{here}[{at}]") for at, each in enumerate(entry)]
    return _end(entry, unit, here)


def _end(entry: Json, unit: Unit, here: str) -> End:
    found, faults = read(End, entry)
    if faults:
        raise ScriptRefused(f"{here}: {faults[0]}")
    ways = _WAYS & found.keys()
    if len(ways) != 1:
        raise ScriptRefused(f"{here}: an end says exactly one of {', '.join(sorted(_WAYS))}")
    fitting = {"exit": "exit", "reply": "outcome", "verdict": "verdict"}
    (way,) = ways
    if way in fitting and unit.reply != fitting[way] and not (way == "reply" and unit.reply == "verdict"):
        raise ScriptRefused(f"{here}: work of step {unit.id.step} does not end with `{way}`")
    if way == "outcome" and found["outcome"] not in declared(unit):
        known = ", ".join(sorted(declared(unit))) or "none: a judge says `verdict`"
        raise ScriptRefused(f"{here}: {found['outcome']!r} is no outcome that its work can say; it has {known}")
    if "output" in found and way not in ("outcome", "exit"):
        raise ScriptRefused(f"{here}: what ends with `{way}` leaves no output")
    return found


def declared(unit: Unit) -> frozenset[str]:
    """The outcomes that the work itself can say."""
    if unit.reply == "verdict":
        return frozenset()
    if unit.reply == "outcome":
        return reply_outcomes(unit.step) | {"failed"}
    exits = unit.step["exits"].values() if unit.step["kind"] == "exec" else ()
    return frozenset({"passed", "failed", *exits})


def _only_member(entry: Json, name: str, sort: type, here: str) -> Any:
    if not isinstance(entry, dict) or entry.keys() != {name} or type(entry[name]) is not sort:
        wanted = "true or false" if sort is bool else "an object"
        raise ScriptRefused(f"{here}: it says `{name}` and nothing else, as {wanted}")
    return cast(Any, entry[name])
