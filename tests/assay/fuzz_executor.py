"""Altered plans, replies and outputs, read by the executor's own functions."""

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

from tests.assay.alterations import altered_bytes, altered_text, altered_value
from tests.assay.faulty import Wrong
from tests.assay.fuzz_sources import EXAMPLES

from akm.engine import plans
from akm.kernel import observation as seen
from akm.kernel.decide import created, decide
from akm.kernel.evolve import evolve
from akm.kernel.identity import assignment_of
from akm.kernel.machines import finals
from akm.kernel.outcome import named_files
from akm.kernel.state import RunState
from akm.kernel.units import unit_of
from akm.reply import parse_reply, parse_verdict
from akm.simulation.run import SimulatedRun
from akm.simulation.world import World
from akm_specs.canonical import JsonObject, canonical, seal
from akmc.pipeline import compile_workflow, registry_beside
from akmc.source import Source

DECLARED = frozenset({"passed", "failed", "revise"})
REPLIES = (
    'Done.\n{"outcome": "passed"}',
    '```json\n{"outcome": "revise", "text": "a", "list": [1, 2, {"b": null}]}\n```',
    '{"a": {"outcome": "failed"}, "outcome": "passed", "usage": {"tokens": 7, "cost_usd": 0.5}}',
    '{"complete": false, "feedback": "more", "missing": ["a"]}',
    'First {"outcome": "failed"} and then [{"outcome": "passed"}',
)
TYPED = """workflow typed "One of each reply" {
  param text: string = "x"
  step make: exec tool {
    output { file: string, n: int, many: list of string }
    on passed -> ask
    on failed -> ask
  }
  step ask: agent coder {
    prompt "Do it."
    output { text: string, n: int }
    on passed -> see
    on revise -> see
    on failed -> see
  }
  step see: judge judy {
    of params.text
    rubric "Good?"
    on passed -> completed
    on failed -> failed
  }
}
"""
#: What each of its attempts may print to pass, or to end otherwise as it declares.
FITTING: dict[str, list[JsonObject]] = {
    "make#1/1": [{"file": "a", "n": 10**15, "many": ["x"]}],
    "ask#1/1": [{"outcome": "passed", "text": "a", "n": 1}, {"outcome": "revise", "text": "", "n": -1}],
    "see#1/1": [{"complete": True}, {"complete": False, "feedback": "more", "missing": ["a"]}],
}
TYPED_REGISTRY = """tool tool { argv ["true"], effect read_only }
agent coder { tool tool }
agent judy { tool tool }
"""


@cache
def sealed_plans() -> tuple[bytes, ...]:
    """The plans of our examples, and that of TYPED."""
    sources = [path for path in sorted(EXAMPLES.rglob("*.akm")) if path.name != "registry.akm"]
    found = [compile_workflow(Source.read(str(path)), registry_beside(str(path))).data for path in sources]
    typed = compile_workflow(Source("typed.akm", TYPED), Source("absent/registry.akm", TYPED_REGISTRY)).data
    return (*found, typed)


def plan_bytes(chance: random.Random, folder: Path) -> str:
    """A plan file with some of its bytes altered: its seal holds only where it says the same."""
    original = chance.choice(sealed_plans())
    try:
        frozen = plans.from_bytes(altered_bytes(chance, original), "x")
    except (plans.PlanUnreadable, plans.PlanAltered) as refused:
        return type(refused).__name__
    if frozen.data != plans.from_bytes(original, "x").data:
        raise Wrong("an altered plan was taken for the one that was sealed")
    return "the same"


def plan_sealed(chance: random.Random, folder: Path) -> str:
    """A plan that was altered and sealed again: nobody's work, and so refused by name or run as it says."""
    body = {name: part for name, part in json.loads(chance.choice(sealed_plans())).items() if name != "hash"}
    among = json.loads(chance.choice(sealed_plans()))
    altered = altered_value(chance, body, among)
    try:
        data = seal(altered)[0]
    except (ValueError, TypeError, AttributeError):
        return "cannot be sealed"
    try:
        frozen = plans.from_bytes(data, "x")
    except (plans.PlanUnreadable, plans.PlanAltered) as refused:
        return type(refused).__name__
    given = {one["name"]: one.get("default", "x") for one in frozen.plan["parameters"]}
    if any(step["kind"] in ("deliver", "workflow") for step in frozen.plan["steps"]):
        return "accepted"
    SimulatedRun(frozen.plan, frozen.hash, given, World(frozen.plan, "1"), 0.1).drive()
    return "accepted and run"


def _said(chance: random.Random) -> str:
    text = chance.choice(REPLIES)
    for _ in range(chance.randint(0, 3)):
        text = altered_text(chance, text, REPLIES)
    return text if chance.random() < 0.9 else text * chance.choice([2, 50]) + "[{" * chance.choice([0, 1, 5000])


def reply(chance: random.Random, folder: Path) -> str:
    """A reply. It declares only what it ends with, as the standard library reads it."""
    text = _said(chance)
    parse_verdict(text)
    found = parse_reply(text, DECLARED)
    if found.value is None:
        return str(found.code)
    if found.outcome not in DECLARED:
        raise Wrong(f"{found.outcome!r} was never declared")
    if found.value["outcome"] != found.outcome or not _ends_with(text, found.value):
        raise Wrong(f"{text!r} does not end with {found.value!r}")
    return "declared"


def _ends_with(text: str, value: dict[str, Any]) -> bool:
    """Whether some end of `text`, a closing fence aside, is this value to the standard library."""
    ends = {text.rstrip("\ufeff \t\r\n\v\f`~\u2028\u2029\xa0\x85\u3000")}
    ends |= {end[: end.rfind("}") + 1] for end in ends}
    for end in ends:
        at = end.rfind("{")
        while at >= 0:
            try:
                if json.loads(end[at:]) == value:
                    return True
            except (ValueError, RecursionError):
                pass
            at = end.rfind("{", 0, at)
    return False


@cache
def _typed() -> plans.FrozenPlan:
    return plans.from_bytes(sealed_plans()[-1], "typed")


def tool_output(chance: random.Random, folder: Path) -> str:
    """Three processes that print anything at all: the run ends, and by an outcome that was declared."""
    frozen = _typed()
    state: RunState = evolve(
        frozen.plan, None, created("r", frozen.plan, frozen.hash, {"text": "x"}, simulated=False)
    )
    observations: list[seen.Observation] = [seen.Ticked(0), seen.Prepared(0, ())]
    for attempt in ("make#1/1", "ask#1/1", "see#1/1"):
        data = _said(chance).encode("utf-8", "surrogatepass")
        if chance.random() < 0.5:
            data = canonical(chance.choice(FITTING[attempt]))
        if chance.random() < 0.4:
            data = altered_bytes(chance, data)
        named = named_files(unit_of(frozen.plan, assignment_of(attempt)), data)
        files = dict.fromkeys(named, seen.StoredFile("0" * 64, 1)) if chance.random() < 0.8 else {}
        code = chance.choice([0, 0, 0, 0, 1, 255])
        observations.append(seen.AttemptEnded(0, attempt, exit_code=code, stdout=data, files=files))
    for observation in observations:
        for event in decide(frozen.plan, state, observation):
            canonical(event.data)  # what cannot be written down cannot be an event
            state = evolve(frozen.plan, state, event)
    if state.status not in finals("run"):
        raise Wrong(f"the run is {state.status}")
    return state.status
