"""Workflows at random: small, valid, and with every kind of step."""

from typing import TypeAlias

import pytest
from hypothesis import strategies as st

from akm_specs.plan import Plan
from akmc.pipeline import compile_workflow
from akmc.source import Source

Draw: TypeAlias = st.DrawFn

#: A tool for each effect class, whose name is the class, and agents.
REGISTRY = """
tool read_only               { argv ["true"], effect read_only }
tool workspace_mutation      { argv ["true"], effect workspace_mutation }
tool external_idempotent     { argv ["true"], effect external_idempotent }
tool receipt_queryable       { argv ["true"], effect receipt_queryable, receipt ["true"] }
tool unknown                 { argv ["true"] }
tool external_non_idempotent { argv ["true"], effect external_non_idempotent }
tool model                   { argv ["true"], effect external_idempotent, reject 75 -> rate_limited }
agent coder { tool read_only }
agent ada   { tool model }
agent ben   { tool read_only }
agent cleo  { tool unknown }
agent judy  { tool model }
defaults { judge judy }
repository site { directory "site", remote "far/site.git" }
repository docs { directory "docs", remote "far/docs.git" }
"""
TOOLS = (
    "read_only",
    "workspace_mutation",
    "external_idempotent",
    "receipt_queryable",
    "unknown",
    "external_non_idempotent",
)
REPEATABLE = ("read_only", "external_idempotent", "receipt_queryable")
#: What stands between a step's name and its block, by kind.
HEADS = {
    "exec": "exec {tool}",
    "gate": "gate {tool}",
    "agent": "agent coder",
    "approval": "approval",
    "signal": "wait signal go",
    "span": "wait 5s",
    "route": "route params.flag",
    "artifacts": 'gate artifacts_exist ["made.txt"]',
    "schema": "gate schema params.value is string",
    "panel": "panel",
    "map": "map it in params.items",
    "judge": "judge judy",
}
JOINS = (
    "join all",
    "join settled pass 1",
    "join settled pass 2",
    "join quorum 1",
    "join quorum 2 then cancel",
    "join first then cancel, safe to speculate",
)
KINDS = tuple(HEADS)

STEPS_MAX = 5
EDGE_MAX = 2


@st.composite
def _targets(draw: Draw, at: int, count: int) -> str:
    """Where an outcome of step `at` leads: an end, a later step, or with a bound an earlier one or itself."""
    target = draw(st.sampled_from(["failed", "cancelled", "completed", *range(count)]))
    if isinstance(target, str):
        return target
    return f"s{target}" if target > at else f"s{target} max {draw(st.integers(1, EDGE_MAX))}"


@st.composite
def _process_clauses(draw: Draw, tool: str) -> list[str]:
    """Retries and recoveries that the tool's effect allows."""
    clauses = []
    reasons = ("failed", "timeout", "spawn_failed") if tool in REPEATABLE else ("spawn_failed",)
    if draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from(reasons), min_size=1, unique=True))
        clauses.append(f"retry {draw(st.integers(1, 2))} on {', '.join(chosen)}")
    if tool in (*REPEATABLE, "workspace_mutation") and draw(st.booleans()):
        clauses.append(f"recover {draw(st.integers(0, 3))}")
    return clauses


@st.composite
def _lines(draw: Draw, at: int, count: int, outcomes: tuple[str, ...]) -> list[str]:
    return [f"on {outcome} -> {draw(_targets(at, count))}" for outcome in outcomes]


@st.composite
def _panel(draw: Draw) -> list[str]:
    maximum = draw(st.integers(2, 4))
    minimum, parallel = draw(st.integers(2, min(3, maximum))), draw(st.integers(1, maximum))
    pool = draw(st.permutations(["ada", "ben", "cleo"]))
    bounds = f"{{ maximum {maximum}, parallel {parallel}, attempts {draw(st.integers(1, 2))} }}"
    return [
        f"assign {minimum} of [{', '.join(pool)}] {bounds}",
        draw(st.sampled_from(JOINS)),
        'prompt "Look."',
        "reads params.value",
    ]


@st.composite
def _map(draw: Draw, tool: str) -> list[str]:
    who = draw(st.sampled_from([f"run tool {tool}", 'run agent ada, prompt "Do it."']))
    return [who, f"parallel {draw(st.integers(1, 3))}", f"tolerate {draw(st.integers(0, 2))}"]


@st.composite
def _steps(draw: Draw, at: int, count: int) -> str:
    """Step `at`. By one outcome it leads to the next one, so that all are reached and all can end."""
    onward = f"s{at + 1}" if at + 1 < count else "completed"
    kind, tool = draw(st.sampled_from(KINDS)), draw(st.sampled_from(TOOLS))
    failed = draw(st.sampled_from([(), ("failed",)]))
    own, outcomes = {
        "exec": (["with { value: params.value }", "exit 3 -> partly"], ("partly", *failed)),
        "gate": (["with { flag: params.flag }"], failed),
        "agent": (['prompt "Do it."', "reads params.value"], ("revise", *failed)),
        "approval": (["by alice", "timeout 1h"], ("rejected", "expired")),
        "signal": (["timeout 1h"], ("expired",)),
        "span": ([], ()),
        "artifacts": ([], failed),
        "schema": ([], failed),
        "panel": (draw(_panel()), ("quorum_not_met", "revise", *failed)),
        "map": (draw(_map(tool)), failed),
        "judge": (["of params.value", 'rubric "Is it good?"'], failed),
        "route": ([f"when true -> {onward}", f"when false -> {draw(_targets(at, count))}"], ()),
    }[kind]
    clauses = [f"attempts {draw(st.integers(2, 4))}", *own, *draw(_lines(at, count, outcomes))]
    if kind in ("exec", "gate"):
        clauses += draw(_process_clauses(tool))
    if kind != "route":
        clauses.append(f"on passed -> {onward}")
    if kind == "agent" and draw(st.booleans()):
        clauses += ["output { text: string }", f'gate {{ rubric "Good?", max_loops {draw(st.integers(1, 3))} }}']
    elif kind in ("exec", "agent", "map", "panel") and draw(st.integers(0, 3)) == 0:
        equals = draw(st.sampled_from(["true", "false"]))
        clauses += [f"skip when params.flag is {equals}", f"on skipped -> {onward}"]
    return f"  step s{at}: {HEADS[kind].format(tool=tool)} {{\n    " + "\n    ".join(clauses) + "\n  }\n"


@st.composite
def _workflows(draw: Draw) -> str:
    count = draw(st.integers(1, STEPS_MAX))
    steps = "".join(draw(_steps(at, count)) for at in range(count))
    transitions = draw(st.integers(2 * STEPS_MAX, 4 * STEPS_MAX))
    return (
        'workflow generated "Made at random" {\n'
        '  param value: string = "x"\n'
        "  param flag: boolean = true\n"
        '  param items: list of string = ["x", "y", "z"]\n'
        f"  limits {{ transitions {transitions}, duration 1d }}\n{steps}}}\n"
    )


def _compiled(text: str) -> Plan:
    return compile_workflow(Source("generated.akm", text), Source("absent/registry.akm", REGISTRY)).plan


@pytest.fixture(scope="session")
def generated_registry() -> str:
    """The registry that generated workflows are compiled beside."""
    return REGISTRY


@pytest.fixture(scope="session")
def generated_workflows() -> st.SearchStrategy[str]:
    """Texts of valid workflows. Draw from it with `st.data()`."""
    return _workflows()


@pytest.fixture(scope="session")
def generated_plans() -> st.SearchStrategy[Plan]:
    """Plans of valid workflows. Draw from it with `st.data()`."""
    return _workflows().map(_compiled)
