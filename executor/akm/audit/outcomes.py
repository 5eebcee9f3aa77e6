"""The outcome of every step attempt, made again, with what its gate, its evidence and its pins had to say."""

from akm.audit.chapters import Chapter, success
from akm.audit.evidence import missing
from akm.audit.history import Entry, Found, History
from akm.audit.joins import JOINS, Outcome
from akm.audit.values import build, find
from akm.audit.worklists import parts
from akm_specs.canonical import Json, JsonObject, canonical, hash_json
from akm_specs.types import violation

_MISMATCHES = ("output_mismatch", "output_not_json")
_MANIFEST = {"completed": "passed", "partial": "partial", "failed": "failed"}


def outcomes(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Every step attempt ends with the outcome that follows from what was recorded of it."""
    parameters = history.entries[0].data["parameters"]
    for chapter in chapters:
        if chapter.end is None or chapter.taken is None:
            continue  # it is under way, or the run ended over it
        end = chapter.end
        if chapter.start is None:
            yield from _unstarted(parameters, chapter, end)
            continue
        found = _work(parameters, chapter)
        if isinstance(found, str):
            yield end.sequence, f"{chapter.id} ends, and {found}"
        else:
            yield from _held(chapter, end, found)


def _unstarted(parameters: JsonObject, chapter: Chapter, end: Entry) -> Found:
    skip, code = chapter.step.get("skip"), end.data.get("code")
    skips = skip is not None and canonical(find(parameters, chapter, skip["value"])) == canonical(skip["equals"])
    listed = parts(parameters, chapter)
    if skips != (end.data["outcome"] == "skipped"):
        yield end.sequence, f"{chapter.id} is {'not ' if skips else ''}skipped against its condition"
    elif not skips and code not in ("pin_missing", "pin_changed", "parameters_unfit", listed):
        yield end.sequence, f"{chapter.id} ends before it started, and nothing refuses it ({code})"


def _work(parameters: JsonObject, chapter: Chapter) -> Outcome | str:
    """What the step came to, or why that cannot be."""
    step, kind = chapter.step, chapter.step["kind"]
    if kind == "route":
        value = find(parameters, chapter, step["value"])
        label = value if isinstance(value, str) else canonical(value).decode()
        return Outcome(label if label in step["transitions"] else "otherwise")
    if kind == "deliver":
        manifest = [one.target or "" for one in chapter.entries if one.lifecycle == "delivery"]
        shown = _MANIFEST.get(manifest[-1] if manifest else "")
        return "its delivery is not over" if shown is None else Outcome(shown)
    if kind in ("approval", "wait"):
        return _waited(chapter)
    if kind == "gate" and step["check"] != "tool":
        return _checked(parameters, chapter)
    made, listed = chapter.made(chapter.rounds), parts(parameters, chapter)
    if kind != "panel" and len(made) < len(listed):
        return "not all of its work was done"
    if kind == "panel" and not chapter.facts("panel.decided") and _unfilled(chapter, len(made), len(listed)):
        return "a seat that was wanted is empty"
    if not made and kind != "map":
        return "none of its work was done"
    return JOINS[kind](step, [work.result for work in made])


def _unfilled(chapter: Chapter, made: int, seats: int) -> bool:
    """Whether a panel that joins all has fewer assignments than its target and its refusals call for."""
    works = chapter.made(chapter.rounds)
    refused = sum(work.result is not None and work.result["result_class"] == "producer_rejected" for work in works)
    waits_for_all = chapter.step["join"]["strategy"] in ("all", "settled")
    return waits_for_all and made < min(seats, chapter.step["target"]["value"] + refused)


def _waited(chapter: Chapter) -> Outcome | str:
    taken = [*chapter.facts("decision.recorded"), *chapter.facts("signal.consumed")]
    if chapter.wait is None:
        return "it never waited"
    if taken:
        return Outcome("passed" if taken[0].data.get("approve", True) else "rejected")
    assert chapter.end is not None
    due = chapter.wait.data.get("due_ms")
    if due is None or chapter.end.elapsed_ms < due:
        return "nothing had come, and its time was not up"
    return Outcome("passed" if chapter.step.get("wait") == "span" else "expired")


def _checked(parameters: JsonObject, chapter: Chapter) -> Outcome:
    """A gate without a process. What files there were is known from its record alone."""
    step, seen = chapter.step, _seen(chapter)
    if step["check"] == "schema":
        holds = violation(step["type"], build(parameters, chapter, step["value"])) is None
    else:
        holds = not seen.get("missing")
    return Outcome("passed" if holds == (step["expect"] == "pass") else "failed")


def _seen(chapter: Chapter) -> JsonObject:
    assert chapter.end is not None
    proposed = chapter.facts("outcome.proposed")
    return {**(proposed[-1].data["data"] if proposed else {}), **chapter.end.data}


def _held(chapter: Chapter, end: Entry, found: Outcome) -> Found:
    """The end against what the work came to."""
    step, declared = chapter.step, chapter.step["transitions"]
    wanted, code = success(step), end.data.get("code")
    objected = end.data["outcome"] == "failed" and found.name == wanted
    if objected and code == "evidence_missing":
        if not missing(chapter, chapter.rounds, end):
            yield end.sequence, f"{chapter.id} lacks no evidence, and fails for it"
        return
    if objected and code == "pin_changed" and "requires" in step:
        return
    name = found.name if found.name in declared else "failed"
    if end.data["outcome"] != name:
        yield end.sequence, f"{chapter.id} came to {name}, and ends {end.data['outcome']}"
    elif found.code is not None and code != found.code:
        yield end.sequence, f"{chapter.id} came to {found.code}, and ends with {code}"
    elif step["kind"] in JOINS and not _same(found.output, end.data.get("output")):
        yield end.sequence, f"the output of {chapter.id} is not what its work came to"
    if name == wanted and "gate" in step:
        judge = chapter.judged(chapter.rounds)
        if judge is None or judge.result is None or judge.result["outcome"] != "passed":
            yield end.sequence, f"{chapter.id} passes, and its gate did not let it"


def _same(one: Json, other: Json) -> bool:
    return canonical(one) == canonical(other)


def results(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """A result's hash covers what later steps see of it, and what passed has an output of its type."""
    for chapter in chapters:
        for work in chapter.works.values():
            for one in work.entries:
                if one.name == "assignment.record_result" and chapter.step["kind"] != "workflow":
                    result = one.data["result"]
                    seen = {name: result[name] for name in ("outcome", "output", "evidence")}
                    if hash_json(seen) != result["hash"]:
                        yield one.sequence, f"the result of {work.id} does not have its hash"


def gates(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Another round follows only a verdict or a mismatch, and never one more than `max_loops`."""
    for chapter in chapters:
        for one in (*chapter.facts("gate.rejected"), *chapter.facts("gate.refused")):
            in_round = chapter.round_of(one)
            if "gate" not in chapter.step:
                yield one.sequence, f"{chapter.id} has no gate"
                continue
            most = chapter.step["gate"]["max_loops"]["value"]
            judge, verdict = chapter.judged(in_round), None
            if judge is not None:
                verdict = judge.result["output"] if judge.result is not None else None
                if judge.result is None or judge.result["outcome"] == "passed":
                    yield one.sequence, f"{chapter.id} is rejected without a verdict against it"
            else:
                codes = [work.result["code"] for work in chapter.made(in_round) if work.result is not None]
                if not codes or codes[0] not in _MISMATCHES:
                    yield one.sequence, f"{chapter.id} is rejected, and nobody judged it"
            if one.name == "gate.rejected" and (one.data["loop"] != in_round or in_round >= most):
                yield one.sequence, f"{chapter.id} has no round after {in_round} of {most}"
            early = one.name == "gate.refused" and one.data["code"] == "gate_rejected" and in_round < most
            if early:
                yield one.sequence, f"{chapter.id} is stopped in round {in_round} of {most}"
            yield from _feedback(one, verdict)


def _feedback(one: Entry, verdict: Json) -> Found:
    told = one.data.get("feedback")
    if isinstance(verdict, dict) and isinstance(told, dict):
        expected = {"feedback": verdict.get("feedback", ""), "missing": verdict.get("missing", [])}
        if not _same(told, expected):
            yield one.sequence, "the feedback is not that of the verdict"
