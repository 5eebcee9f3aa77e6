"""From an akm Markdown workflow to the document of a workflow.

Only what the format means is said here. Whether it makes sense is for the rules, and what it leaves out for
the bounds, as with every other source (docs/reference/front-ends.md lists what each key becomes).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from akm_specs.canonical import Json, JsonObject
from akmc.document import SCHEMA, Place
from akmc.lowered import Lowered, Lowering
from akmc.markdown import keys
from akmc.markdown.body import Section
from akmc.markdown.findings import (
    BAD_ROUTE,
    ISOLATED_READER,
    LEFT_OUT,
    NOBODY,
    NOT_EARLIER,
    REFERENCE_FORM,
    UNDECLARED,
)
from akmc.markdown.lists import most_items
from akmc.markdown.order import Order
from akmc.markdown.references import Written, parse_reference
from akmc.markdown.required import with_what_is_needed, with_what_is_needed_of_items
from akmc.markdown.timeouts import milliseconds
from akmc.surroundings import TOO_LONG, Surroundings, too_long
from akmc.wording import instead_of
from akmc.yaml.shape import Places

#: What a map calls its item; the format has no word for it.
ITEM = "item"
#: Of the reasons to try again those that we know too. The others say that trying again would not help.
_REASONS = {
    "timeout": "timeout",
    "spawn_failed": "spawn_failed",
    "non_zero_exit": "failed",
    "parse_error": "failed",
    "llm_invalid_json": "failed",
    "llm_rate_limit": "rate_limited",
    "cooldown": "rate_limited",
}


def lower_markdown(
    written: keys.FrontMatter, sections: Mapping[str, Section], places: Places, name: str, around: Surroundings
) -> Lowered:
    """The document of a workflow called `name`: its front matter, and each step's section. Raises CompileFailed."""
    lowering = Lowering(places.source)
    lower = _Lower(written, sections, places, around, lowering, Order(tuple(written.steps)))
    lowering.mark((), places.value(()))
    lowering.mark(("title",), places.value(("description",)))
    steps: list[Json] = [step for at in range(len(written.steps)) for step in lower.steps(at)]
    limits = {"units": written.budget.max_units, "tokens": written.budget.max_tokens}
    for member, key in (("units", "max_units"), ("tokens", "max_tokens")):
        lowering.mark(("limits", member), places.value(("budget", key)))
    document: JsonObject = {
        "schema": SCHEMA,
        "name": name,
        "title": " ".join((written.description or name).split()) or name,
        "params": lower.params(),
        "limits": {member: value for member, value in limits.items() if value is not None},
        "steps": steps,
    }
    return lowering.finish(document)


@dataclass(frozen=True, slots=True)
class _Lower:
    written: keys.FrontMatter
    sections: Mapping[str, Section]
    places: Places
    around: Surroundings
    lowering: Lowering
    order: Order
    #: Parameters that are used without being declared, with the type that their use asks for.
    undeclared: dict[str, JsonObject] = field(default_factory=dict)

    def params(self) -> list[JsonObject]:
        """The parameters, first those that are declared."""
        found: list[JsonObject] = []
        for name, schema in self.written.params.items():
            place: Place = ("params", len(found))
            self._mark(place, ("params", name))
            found.append({"name": name, "type": {key: each for key, each in schema.items() if key != "default"}})
            if "default" in schema:
                found[-1] |= {"default": schema["default"], "has_default": True}
        return found + [{"name": name, "type": type_} for name, type_ in self.undeclared.items()]

    def steps(self, at: int) -> list[JsonObject]:
        """The documents of step `at`: one, or two for a route that is judged."""
        step = self.order.steps[at]
        if step.route is not None:
            return self._route(at, step.route)
        place = self._place(at)
        self._mark(place, ("steps", at))
        self._mark((*place, "name"), ("steps", at, "id"))
        found: JsonObject = {"name": step.id}
        if step.map is not None:
            found |= self._map(at, step.map)
        else:
            unit = step.unit or keys.Unit()
            work = self._work(at, unit, ("steps", at, "unit"))
            found |= {"kind": "agent", **work, "on": self._leading_on(at, unit)}
            found["output"] = with_what_is_needed(self.written, step.id, self._output(step.output, unit.output))
        gate = self._gate(at)
        return [found] if gate is None else [{**found, "gate": gate}]

    def _place(self, at: int) -> Place:
        """Where step `at` stands in the document, in which a judged route takes two places."""
        return ("steps", at + sum(self._judged(earlier) for earlier in range(at)))

    def _judged(self, at: int) -> bool:
        step = self.order.steps[at]
        return step.route is not None and step.id in self.sections and bool(self.sections[step.id].rubric)

    # What a step does

    def _work(self, at: int, unit: keys.Unit, place: Place) -> JsonObject:
        """What an agent is given, whether for a step or for an item."""
        step, defaults = self.order.steps[at], self.written.defaults
        self._leave_out(unit, place)
        agent = _trimmed(unit.engine) or _trimmed(defaults.engine) or self.around.registry.defaults.agent
        if agent is None:
            advice = "name an `engine`, or write `defaults { agent NAME }` in the registry"
            self._refuse(NOBODY, ("steps", at), f"step `{step.id}`: nobody is named who works on it", advice)
        self._mark((*self._place(at), "agent"), (*place, "engine"))
        found: JsonObject = {
            "agent": agent or "nobody",
            "prompt": self.sections[step.id].instructions,
            "reads": [*self._params_read(), *self._inputs(at)],
        }
        if unit.isolation is not None:
            found["isolation"] = unit.isolation
            self._may_be_isolated(agent, unit.isolation, (*place, "isolation"))
        timeout = self._timeout(unit, place, agent)
        retry = self._retry(unit.retry, (*place, "retry"))
        return {**found, **timeout, **retry}

    def _map(self, at: int, written: keys.Map) -> JsonObject:
        step, here = self.order.steps[at], ("steps", at, "map")
        work = self._work(at, written.unit, (*here, "unit"))
        over = self._reference(at, written.over.strip(), (*here, "over"), type_={"type": "array"})
        if step.output is not None and written.reducer != "vote" and set(step.output) - {"type"}:
            self._note(("steps", at, "output"), "what a map collects has the type of its items' outputs")
        needed = with_what_is_needed if written.reducer == "vote" else with_what_is_needed_of_items
        output = needed(self.written, step.id, written.unit.output or {})
        found: JsonObject = {"kind": "map", "item": ITEM, "over": over, **work, "output": output}
        self._mark((*self._place(at), "over"), (*here, "over"))
        most = max(most_items(self.written, written.over), 1)
        if written.concurrency is not None:
            found["parallel"] = min(written.concurrency, most)
        if written.reducer is not None:
            found["reducer"] = written.reducer
        if self._goes_on(written.unit):
            found["tolerate"] = most - 1
        return {**found, "on": [{"outcome": "passed", "target": self.order.after(at)}]}

    def _route(self, at: int, written: keys.Route) -> list[JsonObject]:
        """The route or, where its value is judged, a judge under its name and the route behind that."""
        here: Place = ("steps", at, "route")
        value = self._reference(at, written.input.strip(), (*here, "input"), type_={})
        name, judge = self.order.steps[at].id, self._judge(at, value)
        *_, index = place = self._place(at)
        if judge:
            self._mark(place, ("steps", at))
            place = ("steps", int(index) + 1)
            name = judge[0]["on"][0]["target"]
        self._mark(place, ("steps", at))
        self._mark((*place, "name"), ("steps", at, "id"))
        self._mark((*place, "value"), (*here, "input"))
        for way, target in self.order.picks(at):
            self._check_pick(at, target, (*here, *way))
        branches = [
            self._branch((*place, "branches", each), branch, here, each) for each, branch in enumerate(written.when)
        ]
        branches.append({"when": None, "target": _trimmed(written.default) or "failed"})
        return [*judge, {"name": name, "kind": "route", "value": value, "branches": branches}]

    def _branch(self, place: Place, branch: keys.Branch, route: Place, index: int) -> JsonObject:
        self._mark(place, (*route, "when", index))
        self._mark((*place, "when"), (*route, "when", index, "match"))
        return {"when": branch.match, "target": branch.step.strip()}

    def _judge(self, at: int, value: JsonObject) -> list[JsonObject]:
        """What judges the value of the route at `at`, if something does."""
        if not self._judged(at):
            return []
        name = self.order.steps[at].id
        judge = self.around.registry.defaults.judge
        if judge is None:
            advice = "write `defaults { judge NAME }` in the registry"
            self._refuse(NOBODY, ("steps", at), f"step `{name}`: nobody is named who judges it", advice)
        passed = [{"outcome": "passed", "target": self.order.free_name(f"{name}-picks")}]
        rubric = self.sections[name].rubric
        return [
            {"name": name, "kind": "judge", "agent": judge or "nobody", "of": value, "rubric": rubric, "on": passed}
        ]

    def _check_pick(self, at: int, target: str, place: Place) -> None:
        names = [step.id for step in self.order.steps]
        name = names[at]
        if target not in names:
            advice = instead_of(target, names[at + 1 :], "steps")
            self._refuse(BAD_ROUTE, place, f"step `{name}` picks `{target}`, and no step is called so", advice)
        elif names.index(target) <= at:
            message = f"step `{name}` picks `{target}`, which does not come after it"
            self._refuse(BAD_ROUTE, place, message, "pick a step further down")
        elif between := self.order.between(at, target):
            message = f"step `{between}` stands between `{name}` and `{target}`, and nothing says when it is done"
            self._refuse(BAD_ROUTE, place, message, f"write what `{name}` picks right behind it")

    def _leading_on(self, at: int, unit: keys.Unit) -> list[JsonObject]:
        after = self.order.after(at)
        outcomes = ["passed", "failed", "timed_out"] if self._goes_on(unit) else ["passed"]
        return [{"outcome": outcome, "target": after} for outcome in outcomes]

    def _goes_on(self, unit: keys.Unit) -> bool:
        return (unit.on_error or self.written.defaults.on_error) == "continue"

    def _gate(self, at: int) -> JsonObject | None:
        step = self.order.steps[at]
        rubric = self.sections[step.id].rubric
        loops = None if step.gate is None else step.gate.max_loops
        if not rubric or loops is None:
            return {"rubric": rubric} if rubric else None
        if step.map is not None and loops > 1:
            self._note(("steps", at, "gate", "max_loops"), "what is done for the items is judged once")
            return {"rubric": rubric}
        return {"rubric": rubric, "max_loops": loops}

    def _output(self, artifact: JsonObject | None, answer: JsonObject | None) -> JsonObject:
        """The type of what a step leaves behind; anything, where neither says more."""
        if artifact and answer and artifact != answer:
            return {"allOf": [answer, artifact]}
        return artifact or answer or {}

    # What it looks at

    def _params_read(self) -> list[Json]:
        return [Written("params", name, ()).lowered() for name in self.written.params]

    def _inputs(self, at: int) -> list[Json]:
        step = self.order.steps[at]
        found: list[Json] = []
        for index, text in enumerate(map(str.strip, step.inputs or ())):
            place: Place = ("steps", at, "inputs", index)
            if text.startswith("params.") and parse_reference(text) is not None:
                message = f"step `{step.id}`: `{text}` is attached to every step as it is"
                self._refuse(NOT_EARLIER, ("steps", at), message, "remove it: `inputs` names what steps put out")
                continue
            found.append(self._reference(at, text, place, type_={}))
        return found

    def _reference(self, at: int, text: str, place: Place, type_: JsonObject) -> JsonObject:
        """The reference that `text` writes; a parameter that nothing declares is one of `type_`."""
        names = [step.id for step in self.order.steps]
        found = parse_reference(text)
        if found is None:
            advice = "write `params.NAME`, or `steps.ID.output` with `.field` or `[0]` behind it"
            self._refuse(REFERENCE_FORM, place, f"`{text}` is no reference", advice)
            return Written("params", ITEM, ()).lowered()
        if found.root == "params":
            self._declare(found.name, place, type_)
        elif found.name not in names[:at]:
            what = "does not come before it" if found.name in names else "is no step"
            advice = instead_of(found.name, names[:at], "steps before it")
            self._refuse(NOT_EARLIER, ("steps", at), f"step `{names[at]}`: `{found.name}` {what}", advice)
        return found.lowered()

    def _declare(self, name: str, place: Place, type_: JsonObject) -> None:
        if name in self.written.params or name in self.undeclared:
            return
        self.undeclared[name] = type_
        if self.written.params:
            message = f"the parameter `{name}` is not declared, and may be anything"
            advice = instead_of(name, self.written.params, "parameters")
            self.lowering.warn(UNDECLARED, self.places.value(place), message, advice)

    # How it is done

    def _timeout(self, unit: keys.Unit, place: Place, agent: str | None) -> JsonObject:
        own = unit.timeout is not None
        written = unit.timeout if own else self.written.defaults.timeout
        timeout = None if written is None else milliseconds(written)
        most = self.around.longest_ms((self.around.tool_of(agent or ""),))
        if not timeout or (most is not None and timeout > most):
            if timeout and most is not None:
                span = self.places.value((*place, "timeout") if own else ("defaults", "timeout"))
                self.lowering.warn(TOO_LONG, span, *too_long(timeout, most))
            return {}
        return {"timeout_ms": timeout}

    def _retry(self, written: keys.Retry | None, place: Place) -> JsonObject:
        if written is None or not written.max:
            return {}
        for index, reason in enumerate(written.on):
            if reason not in _REASONS:
                self._note((*place, "on", index), f"after `{reason}` trying again would not help", reason)
        reasons = sorted({_REASONS[reason] for reason in written.on if reason in _REASONS})
        return {"retry": {"count": written.max, "on": reasons}} if reasons else {}

    def _may_be_isolated(self, agent: str | None, isolation: str, place: Place) -> None:
        tool = self.around.tool_of(agent or "")
        reads = any(each.name == tool and each.effect == "read_only" for each in self.around.registry.tools)
        if reads and isolation == "worktree":
            message = f"agent `{agent}` changes nothing that would have to be isolated"
            self._refuse(ISOLATED_READER, place, message, "remove `isolation`, or name an engine that writes files")

    def _leave_out(self, unit: keys.Unit, place: Place) -> None:
        """Words that choose how an agent works, which the registry does."""
        for key in ("model", "llm", "env"):
            if getattr(unit, key):
                self._note((*place, key), "how an agent works, its registry entry says")

    # Places and findings

    def _mark(self, place: Place, written: Place) -> None:
        self.lowering.mark(place, self.places.value(written))

    def _refuse(self, code: str, place: Place, message: str, advice: str) -> None:
        self.lowering.report(code, self.places.value(place), message, advice)

    def _note(self, place: Place, why: str, what: str = "") -> None:
        span = self.places.value(place)
        self.lowering.warn(LEFT_OUT, span, f"`{what or place[-1]}` is left out: {why}", "remove it")


def _trimmed(text: str | None) -> str | None:
    return None if text is None else text.strip()
