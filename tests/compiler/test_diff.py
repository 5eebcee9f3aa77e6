"""What a plan may do that another may not: each line of the table in both directions, and what holds for all."""

import copy
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from akm_specs.canonical import canonical
from akm_specs.plan import Plan
from akmc.diff.change import Change, Direction
from akmc.diff.compare import compare
from akmc.diff.table import TABLE, line_of
from akmc.pipeline import compile_workflow
from akmc.source import Source

REGISTRY = """
tool check { argv ["make", "check"], effect read_only, timeout 10m }
tool build { argv ["python", "./build.py"], effect external_idempotent, timeout 10m, env [TOKEN], output_max 1MiB }
tool model { argv ["model"], effect read_only, session, reject 75 -> rate_limited }
tool editor { argv ["edit"], effect read_only }
tool hosted { python "slugs.tools:mend", effect read_only }
tool other { argv ["other"], receipt ["ask"], effect receipt_queryable, directory "sub" }

agent coder {
  tool editor, model "deep", provider "east"
  scope { read [web], write [api], preset writer, allow [edit], deny [shell], secrets [NPM] }
}
agent critic_a { tool model, model "deep", provider "east" }
agent critic_b { tool other, model "wide", provider "west" }
agent critic_c { tool hosted, model "wide", provider "north" }

group leads [alice, bob]
repository api { directory "api", remote "../api.git" }
repository web { directory "web", remote "../web.git" }
"""
CHILD = """
workflow child "A child" {
  param version: string
  step check: gate check { timeout 5m, on passed -> completed }
}
"""
WORKFLOW = """
workflow all "One of each" {
  param version: string
  param mode: one of ["fast", "full"] = "full"
  param targets: list max 5 of string = ["linux"]
  limits { transitions 30, duration 2d, units 60, agent_time 1h, tokens 1000, cost 5 USD }

  step test: gate check {
    attempts 3
    timeout 5m
    retry 1 on timeout
    on passed -> shape
    on failed -> fix
  }
  step fix: agent coder {
    attempts 2
    prompt "Mend it."
    output { summary: string }
    isolation worktree
    gate { judge critic_a, rubric "Is it whole?", max_loops 2 }
    on passed -> test max 2
  }
  step shape: gate schema params.version is string max 9 { on passed -> there }
  step there: gate artifacts_exist ["a.txt", "b.txt"] { on passed -> make }
  step make: exec build {
    with { version: params.version }
    exit 3 -> odd
    output { file: file, commit: string, parts: list max 4 of string }
    evidence file: artifact { pin }
    on passed -> review
    on odd -> failed
  }
  step review: panel {
    assign 2 of [critic_a, critic_b, critic_c] { maximum 3, parallel 2, distinct provider }
    join settled pass 2
    prompt "Is it good?"
    reads make.output
    evidence signed: result { by [critic_a, critic_b, critic_c], producers 2, degraded 1, min 2 }
    on passed -> each
    on quorum_not_met -> failed
  }
  step each: map part in make.output.parts {
    run tool build
    parallel 2
    items 4
    tolerate 1
    with { part: part }
    output { file: string }
    on passed -> weigh
  }
  step weigh: judge critic_a {
    of make.output
    rubric "Is it small?"
    on passed -> sign
  }
  step sign: approval {
    by leads
    reads make.output
    timeout 1d
    on passed -> pause
    on rejected -> failed
    on expired -> cancelled
  }
  step pause: wait 10m { on passed -> ready }
  step ready: wait signal go {
    timeout 1h
    output { until: string }
    on passed -> choose
    on expired -> cancelled
  }
  step choose: route params.mode {
    when "fast" -> ship
    when "full" -> sub
  }
  step sub: workflow "child.akm" {
    with { version: params.version }
    skip when params.mode is "fast"
    on completed -> ship
    on failed -> failed
    on cancelled -> cancelled
    on skipped -> ship
  }
  step ship: deliver [api, web] {
    requires pin file
    with { api: make.output.commit }
    remediate 1
    retry 1 on failed
    on passed -> completed
    on partial -> failed
  }

  require test before make
  require ship at most 1
  require make reaches completed only through sign
  never fix after ship
}
"""
OPPOSITE: dict[Direction, Direction] = {"widens": "narrows", "narrows": "widens", "neutral": "neutral"}


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """A plan with everything in it that a plan can have."""
    folder = tmp_path_factory.mktemp("all")
    (folder / "child.akm").write_text(CHILD, encoding="utf-8")
    (folder / "build.py").write_text("print()\n", encoding="utf-8")
    sources = Source(str(folder / "all.akm"), WORKFLOW), Source(str(folder / "registry.akm"), REGISTRY)
    return compile_workflow(*sources).plan


class _Gone:
    """Stands for a member that is taken away."""


GONE = _Gone()


def changed(plan: Plan, path: str, value: object) -> Plan:
    """`plan` with another `value` at `path`: names, and for members of lists the values of their `name`."""
    found = copy.deepcopy(plan)
    *way, last = path.split(".")
    inner: Any = found
    for part in way:
        inner = _by_name(inner, part) if isinstance(inner, list) else inner[part]
    if isinstance(inner, list):
        inner[:] = [each for each in inner if _name(each) != last]
        inner += [] if value is GONE else [value]
    elif value is GONE:
        del inner[last]
    else:
        inner[last] = value
    return found


def _by_name(inner: list[Any], name: str) -> Any:
    return next(each for each in inner if _name(each) == name)


def _name(each: Any) -> object:
    """What tells an element of a list from the others: its name, its agent, or for a property its kind."""
    return each.get("name") or each.get("agent") or each.get("kind")


def bound(value: int) -> dict[str, object]:
    return {"value": value, "origin": "declared"}


def step(kind: str, **members: object) -> dict[str, object]:
    return {"name": "extra", "kind": kind, "attempts": bound(1), "transitions": {}, **members}


SCOPE = {
    "repositories": {"web": "read"},
    "preset": "writer",
    "allow": ["edit"],
    "deny": ["shell"],
    "secrets": ["NPM"],
}
REFERENCE = {"root": "params", "name": "version", "path": []}
WAY = {"target": "failed", "maximum": None, "back": False, "origin": "declared"}

#: A line of the table, a change that it judges, and what it says. The way back is tested with each.
DIRECTED: list[tuple[str, str, object, Direction]] = [
    ("workflow", "workflow", "other", "neutral"),
    ("title", "title", "Another", "neutral"),
    ("limits/transitions", "limits.transitions.value", 31, "widens"),
    ("limits/transitions", "limits.transitions.origin", "defaulted", "neutral"),
    ("limits/duration_ms", "limits.duration_ms.value", 1, "narrows"),
    ("limits/units", "limits.units.value", 61, "widens"),
    ("limits/agent_time_ms", "limits.agent_time_ms", GONE, "widens"),
    ("limits/cost_microdollars", "limits.cost_microdollars.value", 4_000_000, "narrows"),
    ("limits/tokens", "limits.tokens", GONE, "widens"),
    ("parameter/*", "parameters.version", GONE, "neutral"),
    ("property/*", "properties.before", GONE, "widens"),
    ("property/*", "properties.only_through", GONE, "widens"),
    ("property/*", "properties.never_after", GONE, "widens"),
    ("property/*/count", "properties.at_most.count", 2, "widens"),
    ("tool/*", "tools.check", GONE, "narrows"),
    ("tool/*/effect", "tools.build.effect", "receipt_queryable", "narrows"),
    ("tool/*/env", "tools.build.env", ["SECRET", "TOKEN"], "widens"),
    ("tool/*/timeout_ms", "tools.build.timeout_ms.value", 1, "narrows"),
    ("tool/*/output_bytes_max", "tools.build.output_bytes_max.value", 2 << 20, "widens"),
    ("tool/*/reserved", "tools.build.reserved", True, "narrows"),
    ("check with effects/*", "steps.test.tool", "build", "widens"),
    ("check with effects/*", "tools.model.effect", "unknown", "widens"),
    ("agent/*", "agents.critic_a", GONE, "narrows"),
    ("agent/*/scope", "agents.critic_c.scope", SCOPE, "neutral"),
    ("repository/*", "repositories.api", GONE, "narrows"),
    ("exec/*", "steps.extra", step("exec", tool="build"), "widens"),
    ("agent step/*", "steps.extra", step("agent", tool="build"), "widens"),
    ("panel/*", "steps.extra", step("panel", seats=[]), "widens"),
    ("map/*", "steps.extra", step("map", tool="build"), "widens"),
    ("deliver/*", "steps.extra", step("deliver"), "widens"),
    ("child/*", "steps.extra", step("workflow", plan="x"), "widens"),
    ("approval/*", "steps.sign", GONE, "widens"),
    ("gate/*", "steps.there", GONE, "widens"),
    ("judge/*", "steps.weigh", GONE, "widens"),
    ("wait/*", "steps.pause", GONE, "widens"),
    ("route/*", "steps.choose", GONE, "neutral"),
    ("*/*/attempts", "steps.test.attempts.value", 4, "widens"),
    ("*/*/on/*", "steps.test.transitions.failed.target", "cancelled", "narrows"),
    ("*/*/on/*", "steps.sign.transitions.rejected.target", "ship", "widens"),
    ("*/*/on/*", "steps.sign.transitions.rejected.target", "cancelled", "neutral"),
    ("*/*/on/*", "steps.sign.transitions.rejected.target", "completed", "widens"),
    ("*/*/on/*", "steps.make.transitions.extra", WAY, "neutral"),
    ("*/*/on/*", "steps.make.transitions.extra", WAY | {"target": "ship"}, "widens"),
    ("*/*/on/*", "steps.fix.transitions.passed.maximum.value", 3, "widens"),
    ("*/*/on/*", "steps.fix.transitions.passed.maximum", None, "widens"),
    ("*/*/on/*", "steps.fix.transitions.passed.origin", "defaulted", "neutral"),
    ("*/*/evidence/*", "steps.make.evidence.file", GONE, "widens"),
    ("*/*/evidence/*/minimum", "steps.review.evidence.signed.minimum.value", 1, "widens"),
    ("*/*/evidence/*/producers", "steps.review.evidence.signed.producers", GONE, "widens"),
    (
        "*/*/evidence/*/producers/eligible",
        "steps.review.evidence.signed.producers.eligible",
        ["critic_a"],
        "narrows",
    ),
    ("*/*/evidence/*/producers/minimum", "steps.review.evidence.signed.producers.minimum", 1, "widens"),
    ("*/*/evidence/*/producers/degraded", "steps.review.evidence.signed.producers.degraded", 2, "narrows"),
    ("*/*/evidence/*/reusable", "steps.make.evidence.file.reusable", True, "widens"),
    ("*/*/evidence/*/pin", "steps.make.evidence.file.pin", GONE, "widens"),
    ("*/*/requires", "steps.ship.requires", [], "widens"),
    ("*/*/gate", "steps.fix.gate", GONE, "widens"),
    ("*/*/gate/timeout_ms", "steps.fix.gate.timeout_ms.value", 1, "narrows"),
    ("*/*/gate/max_loops", "steps.fix.gate.max_loops.value", 3, "widens"),
    ("*/*/gate/dispatch/attempts", "steps.fix.gate.dispatch.attempts.value", 9, "widens"),
    ("*/*/gate/dispatch/retry_on", "steps.fix.gate.dispatch.retry_on", ["failed"], "widens"),
    ("*/*/gate/dispatch/recoveries", "steps.fix.gate.dispatch.recoveries.value", 0, "narrows"),
    ("*/*/skip", "steps.make.skip", {"value": REFERENCE, "equals": "x"}, "widens"),
    ("*/*/timeout_ms", "steps.test.timeout_ms.value", 1, "narrows"),
    ("*/*/timeout_ms", "steps.sign.timeout_ms.value", 10**9, "widens"),
    ("*/*/dispatch/attempts", "steps.test.dispatch.attempts.value", 3, "widens"),
    ("*/*/dispatch/retry_on", "steps.test.dispatch.retry_on", [], "narrows"),
    ("*/*/dispatch/recoveries", "steps.test.dispatch.recoveries.value", 4, "widens"),
    ("*/*/isolation", "steps.fix.isolation", "none", "widens"),
    ("*/*/own_scope", "steps.fix.scope", SCOPE, "neutral"),
    ("*/*/scope/*", "steps.fix.gate", GONE, "narrows"),
    ("*/*/scope/*/repositories/*", "steps.fix.scope", SCOPE, "narrows"),
    ("*/*/scope/*/repositories/*/access", "agents.coder.scope.repositories.web", "write", "widens"),
    ("*/*/scope/*/allow", "agents.coder.scope.allow", ["edit", "run"], "widens"),
    ("*/*/scope/*/deny", "agents.coder.scope.deny", [], "widens"),
    ("*/*/scope/*/secrets", "agents.coder.scope.secrets", [], "narrows"),
    ("*/*/reads", "steps.fix.reads", [REFERENCE], "widens"),
    ("*/*/parallel", "steps.each.parallel.value", 3, "widens"),
    ("gate/*/paths", "steps.there.paths", ["a.txt"], "widens"),
    ("panel/*/seat/*", "steps.review.seats.critic_c", GONE, "narrows"),
    ("panel/*/seat/*/timeout_ms", "steps.review.seats.critic_c.timeout_ms.value", 1, "narrows"),
    ("panel/*/order", "steps.review.seats.critic_c", GONE, "neutral"),
    ("panel/*/minimum", "steps.review.minimum.value", 1, "widens"),
    ("panel/*/target", "steps.review.target.value", 1, "widens"),
    ("panel/*/maximum", "steps.review.maximum.value", 4, "widens"),
    ("panel/*/distinct", "steps.review.distinct", [], "widens"),
    ("panel/*/join/strategy", "steps.review.join.strategy", "first", "widens"),
    ("panel/*/join/strategy", "steps.review.join.strategy", "all", "narrows"),
    ("panel/*/join/passed", "steps.review.join.passed", 1, "widens"),
    ("panel/*/join/origin", "steps.review.join.origin", "defaulted", "neutral"),
    ("panel/*/join/remaining", "steps.review.join.remaining", "cancel", "narrows"),
    ("map/*/item", "steps.each.item", "piece", "neutral"),
    ("map/*/items", "steps.each.items.value", 5, "widens"),
    ("map/*/tolerate", "steps.each.tolerate.value", 0, "narrows"),
    ("approval/*/by", "steps.sign.by", ["alice", "bob", "carol"], "widens"),
    ("approval/*/reads", "steps.sign.reads", [], "widens"),
    ("wait/*/span_ms", "steps.pause.span_ms", 1, "widens"),
    ("deliver/*/repositories", "steps.ship.repositories", ["api"], "narrows"),
    ("deliver/*/remediations", "steps.ship.remediations.value", 2, "widens"),
]

#: A line of the table and a change of what it judges that widens both ways: nobody has reviewed either.
REPLACED: list[tuple[str, str, object]] = [
    ("schema", "schema", "akm.plan.v2"),
    ("lifecycles", "lifecycles", "0" * 64),
    ("parameter/*/type", "parameters.version.type", {"type": "integer"}),
    ("parameter/*/default", "parameters.mode.default", "fast"),
    ("tool/*/argv", "tools.check.argv", ["make", "check", "-k"]),
    ("tool/*/python", "tools.hosted.python", "other:function"),
    ("tool/*/scripts", "tools.build.scripts", []),
    ("tool/*/receipt", "tools.other.receipt", None),
    ("tool/*/directory", "tools.other.directory", "."),
    ("tool/*/session", "tools.model.session", GONE),
    ("tool/*/rejects", "tools.model.rejects", {"76": "rate_limited"}),
    ("agent/*/tool", "agents.critic_a.tool", "other"),
    ("agent/*/model", "agents.critic_a.model", None),
    ("agent/*/provider", "agents.critic_a.provider", "west"),
    ("repository/*/directory", "repositories.api.directory", "elsewhere"),
    ("repository/*/remote", "repositories.api.remote", "../other.git"),
    ("*/*/evidence/*/kind", "steps.make.evidence.file.kind", "result"),
    ("*/*/gate/judge", "steps.fix.gate.judge", "critic_b"),
    ("*/*/gate/tool", "steps.fix.gate.tool", "other"),
    ("*/*/gate/rubric", "steps.fix.gate.rubric", "Is it there?"),
    ("*/*/skip/value", "steps.sub.skip.value", REFERENCE),
    ("*/*/skip/equals", "steps.sub.skip.equals", "full"),
    ("*/*/tool", "steps.test.tool", "build"),
    ("*/*/agent", "steps.fix.agent", "critic_a"),
    ("*/*/output", "steps.make.output", None),
    ("*/*/input", "steps.make.input", None),
    ("*/*/prompt", "steps.review.prompt", "Is it bad?"),
    ("*/*/rubric", "steps.weigh.rubric", "Is it large?"),
    ("*/*/of", "steps.weigh.of", REFERENCE),
    ("*/*/scope/*/preset", "agents.coder.scope.preset", None),
    ("exec/*/exits", "steps.make.exits", {"4": "odd"}),
    ("gate/*/check", "steps.there.check", "schema"),
    ("gate/*/expect", "steps.there.expect", "fail"),
    ("gate/*/value", "steps.shape.value", {"literal": 1}),
    ("gate/*/type", "steps.shape.type", {"type": "integer"}),
    ("panel/*/seat/*/tool", "steps.review.seats.critic_c.tool", "model"),
    ("map/*/over", "steps.each.over", REFERENCE),
    ("map/*/reducer", "steps.each.reducer", "vote"),
    ("wait/*/wait", "steps.pause.wait", "signal"),
    ("wait/*/signal", "steps.ready.signal", "stop"),
    ("route/*/value", "steps.choose.value", REFERENCE),
    ("child/*/input", "steps.sub.input", {}),
    ("deliver/*/commits", "steps.ship.commits", {}),
]


def judged(old: Plan, new: Plan, line: str) -> set[Direction]:
    """What is said of the places that `line` judges."""
    return {change.direction for change in compare(old, new) if line_of(change.place) == line}


def places(changes: tuple[Change, ...]) -> dict[tuple[str, ...], set[Direction]]:
    found: dict[tuple[str, ...], set[Direction]] = {}
    for change in changes:
        found.setdefault(change.place, set()).add(change.direction)
    return found


@pytest.mark.parametrize(("line", "path", "value", "direction"), DIRECTED)
def test_a_change_with_a_direction_has_the_opposite_one_backwards(
    base: Plan, line: str, path: str, value: object, direction: Direction
) -> None:
    other = changed(base, path, value)
    assert judged(base, other, line) == {direction}
    assert judged(other, base, line) == {OPPOSITE[direction]}


@pytest.mark.parametrize(("line", "path", "value"), REPLACED)
def test_what_is_replaced_widens_both_ways(base: Plan, line: str, path: str, value: object) -> None:
    other = changed(base, path, value)
    assert judged(base, other, line) == {"widens"}
    assert judged(other, base, line) == {"widens"}


def test_every_line_of_the_table_is_tried() -> None:
    tried = {line for line, *_ in DIRECTED} | {line for line, *_ in REPLACED}
    assert TABLE.keys() - tried == {"entry", "order"}, "those two have tests of their own"
    assert not tried - TABLE.keys()


def test_another_order_of_steps_is_neutral_unless_a_run_begins_elsewhere(base: Plan) -> None:
    first, second, third, *rest = base["steps"]
    later = cast(Plan, {**base, "steps": [first, third, second, *rest]})
    assert {line_of(change.place) for change in compare(base, later)} == {"order"}
    elsewhere = cast(Plan, {**base, "steps": [second, first, third, *rest]})
    assert judged(base, elsewhere, "entry") == {"widens", "narrows"}


def test_a_plan_gains_and_loses_nothing_against_itself(base: Plan) -> None:
    assert compare(base, copy.deepcopy(base)) == ()


class TestEffects:
    """A class says how far effects reach, and how freely the executor repeats one: both are authority."""

    def says(self, base: Plan, old: str, new: str) -> list[str]:
        plans = (changed(base, "tools.build.effect", effect) for effect in (old, new))
        return [f"{change.direction} {change.verdict.says.partition(':')[0]}" for change in compare(*plans)]

    def test_a_claim_of_less_lets_more_be_repeated_unasked(self, base: Plan) -> None:
        assert self.says(base, "unknown", "read_only") == [
            "widens after a lost outcome it is repeated",
            "narrows its effects may reach",
        ]

    def test_a_claim_of_more_reaches_further(self, base: Plan) -> None:
        assert self.says(base, "read_only", "external_non_idempotent") == [
            "widens its effects may reach",
            "narrows after a lost outcome it is repeated",
        ]

    def test_what_is_no_class_widens(self, base: Plan) -> None:
        other = changed(base, "tools.build.effect", "harmless")
        assert judged(base, other, "tool/*/effect") == judged(other, base, "tool/*/effect") == {"widens"}


def test_what_is_said_twice_is_told_and_the_tighter_bound_counts(base: Plan) -> None:
    twice = copy.deepcopy(base)
    twice["properties"].append({"kind": "at_most", "step": "ship", "count": 9})
    (change,) = compare(base, twice)
    assert str(change) == "widens   plan: is written otherwise, for no known reason"
    only = changed(base, "properties.at_most.count", 9)
    assert "narrows  property ship at most count: 9 -> 1" in map(str, compare(only, twice))


def test_references_are_told_as_the_language_writes_them(base: Plan) -> None:
    other = changed(base, "steps.sign.reads", [{"root": "output", "name": "make", "path": ["parts", 0]}])
    assert [str(change) for change in compare(base, other)] == [
        "widens   approval sign reads: loses make.output",
        "narrows  approval sign reads: gains make.output.parts[0]",
    ]


class TestWaysAround:
    def test_work_that_no_longer_lies_behind_a_sign_off_widens(self, base: Plan) -> None:
        """Also when no step, no bound and no sign-off is another."""
        other = changed(base, "steps.weigh.transitions.passed.target", "pause")
        told = {str(change) for change in compare(base, other)}
        assert "widens   completed: can be reached without sign having passed" in told
        assert "widens   step ship: can be reached without sign having passed" in told
        back = {str(change) for change in compare(other, base)}
        assert "narrows  step ship: can be reached only after sign has passed" in back

    def test_an_outcome_that_is_no_pass_is_a_way_around(self, base: Plan) -> None:
        other = changed(base, "steps.sign.transitions.expired.target", "ship")
        assert ("step", "ship") in places(compare(base, other))

    def test_a_longer_way_behind_the_same_sign_off_is_none(self, base: Plan) -> None:
        other = changed(base, "steps.pause.transitions.passed.target", "choose")
        assert not {("step", "ship"), ("completed",)} & places(compare(base, other)).keys()

    def test_a_sign_off_that_is_put_in_between_only_narrows_and_back_is_one_loss(self, base: Plan) -> None:
        """The way that now leads through it is no new way."""
        ways = {"passed": WAY | {"target": "there"}, "rejected": WAY}
        extra = step("approval", by=["alice"], reads=[], timeout_ms=bound(1), transitions=ways)
        other = changed(changed(base, "steps.extra", extra), "steps.shape.transitions.passed.target", "extra")
        changes = compare(base, other)
        assert {change.direction for change in changes} == {"narrows", "neutral"}
        assert "narrows  approval extra: is new" in map(str, changes)
        widening = [str(change) for change in compare(other, base) if change.direction == "widens"]
        assert widening == ["widens   approval extra: is gone"]

    def test_a_sign_off_before_the_first_step_only_narrows(self, base: Plan) -> None:
        ways = {"passed": WAY | {"target": "test"}, "rejected": WAY}
        extra = step("approval", by=["alice"], reads=[], timeout_ms=bound(1), transitions=ways)
        other = cast(Plan, {**base, "steps": [extra, *base["steps"]]})
        assert {change.direction for change in compare(base, other)} == {"narrows", "neutral"}

    def test_the_same_work_by_a_check_before_the_sign_off_is_a_way_around(self, base: Plan) -> None:
        before = changed(base, "steps.there.transitions.passed.target", "sign")
        before = changed(before, "steps.pause.transitions.passed.target", "make")
        after = changed(before, "steps.test.tool", "build")
        told = {str(change) for change in compare(before, after)}
        assert "widens   tool build: can be reached without sign having passed" in told

    def test_a_new_step_with_another_way_on_widens(self, base: Plan) -> None:
        ways = {"passed": WAY | {"target": "ship"}}
        other = changed(base, "steps.extra", step("wait", wait="span", span_ms=1, transitions=ways))
        other = changed(other, "steps.shape.transitions.passed.target", "extra")
        assert "widens   gate shape on passed: leads on to ship" in map(str, compare(base, other))


class TestChildren:
    def with_child(self, base: Plan, path: str, value: object) -> Plan:
        found = copy.deepcopy(base)
        ((old_hash, child),) = found["children"].items()
        found["children"] = {"f" * 64: changed(child, path, value)}
        sub = next(each for each in found["steps"] if each["name"] == "sub")
        assert sub["kind"] == "workflow"
        assert sub["plan"] == old_hash
        sub["plan"] = "f" * 64
        return found

    def test_are_compared_as_plans_and_named_by_their_step(self, base: Plan) -> None:
        changes = compare(base, self.with_child(base, "steps.check.attempts.value", 2))
        assert [str(change) for change in changes] == ["widens   child sub gate check attempts: 1 -> 2"]

    def test_that_a_bundle_lacks_widen(self, base: Plan) -> None:
        other = self.with_child(base, "title", "Another")
        other["children"] = {}
        assert [change.direction for change in compare(base, other)] == ["widens"]

    def test_of_a_new_step_are_part_of_what_is_new(self, base: Plan) -> None:
        without = changed(base, "steps.sub", GONE)
        assert judged(without, base, "child/*") == {"widens"}


class TestUnknownChanges:
    """What no line knows widens: a plan of a later compiler must not pass for a narrower one."""

    @pytest.mark.parametrize(
        "path",
        [
            "novel",
            "limits.novel",
            "tools.check.novel",
            "agents.coder.novel",
            "steps.test.novel",
            "steps.test.dispatch.novel",
        ],
    )
    def test_widen_when_they_come_and_when_they_go(self, base: Plan, path: str) -> None:
        other = changed(base, path, 1)
        assert {change.direction for change in compare(base, other)} == {"widens"}
        assert {change.direction for change in compare(other, base)} == {"widens"}

    @pytest.mark.parametrize("path", ["steps.test.transitions.passed.novel", "steps.test.attempts.novel"])
    def test_within_what_is_known_widen_too(self, base: Plan, path: str) -> None:
        assert "widens" in {change.direction for change in compare(base, changed(base, path, 1))}

    def test_are_not_hidden_by_what_is_shown_of_a_long_name(self, base: Plan) -> None:
        long = "x" * 200
        plans = (changed(base, "steps.fix.reads", [REFERENCE | {"path": [long, end]}]) for end in ("a", "b"))
        assert [change.direction for change in compare(*plans)] == ["widens", "narrows"]

    def test_include_a_kind_of_step_that_is_not_known(self, base: Plan) -> None:
        other = changed(base, "steps.extra", step("teleport"))
        assert "widens" in {change.direction for change in compare(base, other)}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of each number, text and truth value in a plan. What is null may be of any form, so it is left."""
    if isinstance(value, dict):
        return [leaf for name, member in value.items() for leaf in leaves(member, (*path, name))]
    if isinstance(value, list):
        return [leaf for at, member in enumerate(value) for leaf in leaves(member, (*path, at))]
    return [] if value is None else [path]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_any_difference_is_told_and_is_mirrored(base: Plan, data: st.DataObject) -> None:
    """One place after the other is altered, blindly: such plans need not make sense to be compared."""
    other: Any = copy.deepcopy(base)
    names = {"kind", "name", "agent", "plan", "judge", "first", "step", "through", "after"}  # what leads elsewhere
    outside = [
        path for path in leaves(base) if path[0] != "children" and path[-1] not in names and path[-1] != "root"
    ]
    for *way, last in data.draw(st.lists(st.sampled_from(outside), min_size=1, max_size=4)):
        inner = other
        for part in way:
            inner = inner[part]
        inner[last] = inner[last] + 1 if isinstance(inner[last], int) else data.draw(st.sampled_from(["", "other"]))
    there, back = places(compare(base, other)), places(compare(other, base))
    assert bool(there) == (canonical(base) != canonical(other))
    assert there.keys() == back.keys()
    for place, directions in there.items():
        mirrored = {OPPOSITE[direction] for direction in directions}
        assert back[place] == mirrored or {"widens"} <= directions & back[place], place
