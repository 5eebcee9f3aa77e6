"""From a `kxm.workflow.v1` document to the document of a workflow.

Only what the format means is said here. Whether it makes sense is for the rules, and what it leaves out for
the bounds, as with every other source (docs/reference/front-ends.md lists what each key becomes).
"""

from dataclasses import dataclass

from akm_specs.canonical import Json, JsonObject
from akm_specs.types import FILE_FORMAT
from akmc.bounds import RUN_DURATION_MS_DEFAULT
from akmc.document import SCHEMA, Place
from akmc.kxm import keys
from akmc.kxm.edges import Ways, lower_edges
from akmc.kxm.findings import LEFT_OUT, UNTIMED
from akmc.lower_words import INTEGER_MAX
from akmc.lowered import Lowered, Lowering
from akmc.surroundings import TOO_LONG, Surroundings, too_long
from akmc.wording import duration_text
from akmc.yaml.shape import Places

#: Who decides where a workflow names no coordinator.
COORDINATOR = "coordinator"
MICRODOLLARS = 1_000_000

_EVIDENCE = {"assignment-result": "result"}
_JOINS = {"all": "all", "all-settled": "settled", "quorum": "quorum", "first-success": "first"}
_DISTINCTIONS = {"provider": "provider", "model": "model", "profile": "model"}


def lower_kxm(workflow: keys.Workflow, places: Places, name: str, around: Surroundings) -> Lowered:
    """The document of `workflow`, which is called `name`, beside what is `around` it. Raises CompileFailed."""
    lower = _Lower(workflow, places, around, Lowering(places.source))
    lower.lowering.mark((), places.value(()))
    lower.lowering.mark(("title",), places.value(("description",)))
    steps: list[Json] = [lower.step(at) for at in range(len(workflow.steps))]
    document: JsonObject = {
        "schema": SCHEMA,
        "name": name,
        "title": " ".join((workflow.description or name).split()),
        "limits": lower.limits(),
        "steps": steps,
        "properties": lower.properties(),
    }
    return lower.lowering.finish(document)


@dataclass(frozen=True, slots=True)
class _Lower:
    workflow: keys.Workflow
    places: Places
    around: Surroundings
    lowering: Lowering

    def limits(self) -> JsonObject:
        """Budgets of the whole run, as far as they are written."""
        written = self.workflow.limits
        found = {
            "transitions": (written.maxTransitions, "maxTransitions"),
            "duration_ms": (written.maxRunDurationMs, "maxRunDurationMs"),
            "agent_time_ms": (written.maxAgentTimeMs, "maxAgentTimeMs"),
            "cost_microdollars": (self._microdollars(), "maxModelCost"),
        }
        for member, (_, key) in found.items():
            self.lowering.mark(("limits", member), self.places.value(("limits", key)))
        return {member: value for member, (value, _) in found.items() if value is not None}

    def properties(self) -> list[JsonObject]:
        """No run completes past a gate or an approval."""
        first, *later = self.workflow.steps
        required = [step.id for step in later if step.kind in ("gate", "approval")]
        for at, step in enumerate(self.workflow.steps):
            if step.id in required:
                self.lowering.mark(("properties", required.index(step.id)), self.places.value(("steps", at, "id")))
        return [{"kind": "only_through", "step": first.id, "through": name} for name in required]

    def step(self, at: int) -> JsonObject:
        """The document of step `at`."""
        step, here = self.workflow.steps[at], ("steps", at)
        self._mark((*here, "name"), (*here, "id"))
        for member, key in _MEMBERS.items():
            self._mark((*here, member), (*here, key))
        found: JsonObject = {"name": step.id, **self._subject(at)}
        found["on"] = lower_edges(self.lowering, self.places, Ways(self.workflow), at, found["kind"])
        found["evidence"] = [self._evidence(at, each) for each in range(len(step.requiredEvidence))]
        optional: JsonObject = {
            "attempts": step.maxAttempts,
            "timeout_ms": self._timeout(at, found),
            "requires": self._pins_required(step.id),
        }
        if step.kind not in ("agent", "moa"):
            self._scope_left_out(at)
        if step.aliases:
            self._left_out((*here, "aliases"), "nothing here resolves another name for a step")
        return found | {member: value for member, value in optional.items() if value not in (None, [])}

    # What a step is about

    def _subject(self, at: int) -> JsonObject:
        step = self.workflow.steps[at]
        match step.kind:
            case "agent" | "moa":
                return {**self._agents(at), **self._work(at), "prompt": _prompt(step)}
            case "gate":
                return self._gate(at)
            case "approval":
                return {"kind": "approval", "by": [self.workflow.coordinator or COORDINATOR]}
            case "wait":
                return {"kind": "wait", "signal": step.signal}

    def _agents(self, at: int) -> JsonObject:
        step = self.workflow.steps[at]
        if step.kind == "agent" and step.assignments is None and step.join is None:
            return {"kind": "agent", "agent": step.agent}
        bounds = step.assignments or keys.Assignments()
        assign: JsonObject = {
            "minimum": bounds.minimum or 1,
            "target": bounds.target,
            "maximum": bounds.maximum,
            "parallel": bounds.maxParallel,
            "attempts": bounds.maxAttemptsPerAssignment,
            "agents": list(bounds.allowedAgents or (step.agent or "",)),
            "distinct": sorted({_DISTINCTIONS[each] for each in bounds.distinctBy}),
        }
        if bounds.maxWriteRepositories is not None:
            place: Place = ("steps", at, "assignments", "maxWriteRepositories")
            self._left_out(place, "an assignment may write whatever its step's scope lets it write")
        assign = {member: value for member, value in assign.items() if value is not None}
        found: JsonObject = {"kind": "panel", "assign": assign, "speculative": step.safeSpeculation}
        return found if step.join is None else {**found, "join": self._join(step)}

    def _join(self, step: keys.Step) -> JsonObject:
        assert step.join is not None, "a step with a join"
        found: JsonObject = {"strategy": _JOINS[step.join.strategy]}
        if step.join.minimumPassed is not None and step.join.strategy in ("all-settled", "quorum"):
            found["passed"] = step.join.minimumPassed
        elif step.join.strategy == "all-settled":
            bounds = step.assignments or keys.Assignments()
            found["passed"] = bounds.target or bounds.minimum or 1
        if step.join.strategy in ("quorum", "first-success") and step.join.cancelRemaining is not None:
            found["remaining"] = "cancel" if step.join.cancelRemaining else "drain"
        return found

    def _gate(self, at: int) -> JsonObject:
        step = self.workflow.steps[at]
        expect = {} if step.expect is None else {"expect": step.expect}
        paths = self.around.file_gates.get(step.gate or "")
        if paths is not None:
            return {"kind": "gate", "artifacts": list(paths), **expect}
        return {"kind": "gate", "tool": step.gate, **expect, **self._output(at)}

    def _work(self, at: int) -> JsonObject:
        scope = self._scope(at)
        return {**self._output(at), "scope": scope} if scope else self._output(at)

    def _output(self, at: int) -> JsonObject:
        """The output in which the step names its artifacts."""
        files = [each.key for each in self.workflow.steps[at].requiredEvidence if each.kind == "artifact"]
        return {"output": _files(files)} if files else {}

    def _scope(self, at: int) -> JsonObject:
        step = self.workflow.steps[at]
        tools, repositories = step.tools or keys.Tools(), step.repositories or {}
        found: JsonObject = {
            "read": [name for name, access in repositories.items() if access == "read"],
            "write": [name for name, access in repositories.items() if access == "write"],
            "preset": tools.preset,
            "allow": list(tools.allow or ()),
            "deny": list(tools.deny or ()),
            "secrets": [each.ref for each in step.secrets],
        }
        for index, each in enumerate(step.secrets):
            if each.as_ is not None:
                self._left_out(("steps", at, "secrets", index, "as"), "a secret keeps the name that its tool knows")
        return {member: value for member, value in found.items() if value}

    def _scope_left_out(self, at: int) -> None:
        """A scope bounds what agents may do. What a gate's command may do, its registry entry says."""
        for key in ("repositories", "tools", "secrets"):
            if getattr(self.workflow.steps[at], key):
                self._left_out(("steps", at, key), "no agent does this step")

    # What a step states

    def _evidence(self, at: int, index: int) -> JsonObject:
        written = self.workflow.steps[at].requiredEvidence[index]
        self._mark(("steps", at, "evidence", index), ("steps", at, "requiredEvidence", index))
        found: JsonObject = {"name": written.key, "kind": _EVIDENCE.get(written.kind, written.kind)}
        if written.minimum is not None:
            found["minimum"] = written.minimum
        policy = written.producerPolicy
        if policy is not None:
            found |= {"eligible": list(policy.eligibleAgents), "producers": policy.minimumProducers}
            if policy.degradation is not None:
                found["degraded"] = policy.degradation.minimumProducers
        return {**found, "reusable": written.reusableAcrossAttempts, "pin": self._pinned(at, written.key)}

    def _pinned(self, at: int, key: str) -> bool:
        oracles = (self.workflow.planHash, self.workflow.reproOracle)
        step = self.workflow.steps[at].id
        return any(each is not None and (each.stageId, each.evidenceKey) == (step, key) for each in oracles)

    def _pins_required(self, step: str) -> list[str]:
        oracle = self.workflow.planHash
        return [oracle.evidenceKey] if oracle is not None and step in self.workflow.requirePlanHash else []

    def _timeout(self, at: int, found: JsonObject) -> int | None:
        step, place = self.workflow.steps[at], ("steps", at, "timeoutMs")
        if step.timeoutMs is None:
            return self._untimed(at) if step.kind in ("approval", "wait") else None
        most = self.around.longest_ms(self._tools(found))
        if most is None or step.timeoutMs <= most:
            return step.timeoutMs
        self.lowering.warn(TOO_LONG, self.places.value(place), *too_long(step.timeoutMs, most))
        return most

    def _tools(self, found: JsonObject) -> tuple[str | None, ...]:
        agents = found["assign"]["agents"] if found["kind"] == "panel" else [found.get("agent", "")]
        return (found.get("tool"), *(self.around.tool_of(name) for name in agents))

    def _untimed(self, at: int) -> int:
        """How long a step waits that has no timeout: the format has no other bound for it than the run's."""
        run_ms = self.workflow.limits.maxRunDurationMs or RUN_DURATION_MS_DEFAULT
        message = (
            f"step `{self.workflow.steps[at].id}` may wait as long as the run may take: {duration_text(run_ms)}"
        )
        self.lowering.warn(UNTIMED, self.places.value(("steps", at, "id")), message, "write `timeoutMs`")
        return run_ms

    def _microdollars(self) -> int | None:
        cost = self.workflow.limits.maxModelCost
        return None if cost is None else min(round(cost * MICRODOLLARS), INTEGER_MAX)

    # Places

    def _mark(self, place: Place, written: Place) -> None:
        """Remembers where the `place` of the document was written."""
        self.lowering.mark(place, self.places.value(written))

    def _left_out(self, place: Place, why: str) -> None:
        span = self.places.key(place)
        self.lowering.warn(LEFT_OUT, span, f"`{place[-1]}` is left out: {why}", "remove it")


#: Members of a step's document, and the keys that they come from.
_MEMBERS = {
    "attempts": "maxAttempts",
    "timeout_ms": "timeoutMs",
    "agent": "agent",
    "tool": "gate",
    "signal": "signal",
    "expect": "expect",
    "scope": "repositories",
    "assign": "assignments",
    "join": "join",
    "on": "on",
}


def _prompt(step: keys.Step) -> str:
    written = [text for text in (step.instructions, step.description) if text and text.strip()]
    return "\n\n".join(written) or f"Carry out the step `{step.id}`."


def _files(names: list[str]) -> JsonObject:
    """The type of an output that names a file for each of `names`."""
    properties: JsonObject = {name: {"type": "string", "format": FILE_FORMAT} for name in names}
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(set(names)),
        "additionalProperties": False,
    }
