"""Every requirement of `tests/conformance/*.yaml`, asked of the local engine."""

import importlib.util
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from akm.reply import parse_reply
from akm_specs import lifecycle
from akm_specs.canonical import JsonObject
from akmc.diagnostic import CompileFailed
from akmc.pipeline import compile_workflow
from akmc.source import Source

if TYPE_CHECKING:
    from tests.conformance.conftest import Engine

HERE = Path(__file__).parent
SCHEMA = json.loads((HERE / "schema.json").read_text(encoding="utf-8"))
VOCABULARY: dict[str, list[str]] = yaml.safe_load((HERE / "vocabulary.yaml").read_text(encoding="utf-8"))
LEAST = 150
#: The registry of a text that brings none.
PLAIN = 'tool read { argv ["true"] }\nagent ada { tool read }\n'


def requirements() -> Iterator[JsonObject]:
    """All of them, in the order of their files."""
    for file in sorted(HERE.glob("[0-9]*.yaml")):
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        for each in document["requirements"]:
            yield {"document": document["document"], **each}


ALL = list(requirements())


def of(kind: str) -> pytest.MarkDecorator:
    """The requirements of one kind, as parameters."""
    return pytest.mark.parametrize("asked", [one for one in ALL if kind in one], ids=lambda one: one["id"])


def test_each_file_has_the_published_form() -> None:
    for file in sorted(HERE.glob("[0-9]*.yaml")):
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert not [each.message for each in Draft202012Validator(SCHEMA).iter_errors(document)], file.name


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    names = [one["id"] for one in ALL]
    assert len(names) == len(set(names))
    assert len(names) >= LEAST


# a run, told what happens -----------------------------------------------------------------------------


def expected(lines: list[Any]) -> list[tuple[str, str, str | None, JsonObject]]:
    """The events that `lines` stand for: one each, or a phrase of the vocabulary with its words filled in."""
    found: list[tuple[str, str, str | None, JsonObject]] = []
    for line in lines:
        text, data = (line, {}) if isinstance(line, str) else next(iter(line.items()))
        phrase, *words = text.split()
        if phrase in VOCABULARY:
            told = [each.format(*words) for each in VOCABULARY[phrase]]
            found += expected(told[:-1])
            found += expected([{told[-1]: data}] if data else [told[-1]])
        else:
            found.append((phrase, words[0], words[1] if len(words) > 1 else None, data))
    return found


def same(found: list[Any], wanted: list[Any]) -> None:
    """The very same events in the very same order, with at least the data that is wanted."""
    assert [each[:3] for each in found] == [each[:3] for each in wanted]
    for (name, entity, _, data), (_, _, _, asked) in zip(found, wanted, strict=True):
        assert {key: data.get(key) for key in asked} == asked, f"{name} {entity}"


def played(engine: "Engine", asked: JsonObject, *, crashing: bool) -> JsonObject:
    """Play the script; with `crashing` the engine dies after each thing that it was told."""
    engine.start(asked["run"])
    for step in deepcopy(asked["script"]):
        if step == "crash":
            engine.crash()
            continue
        ((what, about),) = step.items()
        engine.tell(what, about or {})
        if crashing:
            engine.crash()
    return engine.standing()


@of("run")
def test_a_run_has_exactly_this_history(asked: JsonObject, engine_in: "Callable[[], Engine]") -> None:
    engine = engine_in()
    found = played(engine, asked, crashing=False)
    same(engine.history(), expected(asked["history"]))
    wanted = {key: asked[key] for key in ("status", "outcome", "reason", "uncertain") if key in asked}
    assert {key: found[key] for key in wanted} == wanted
    if "asked" in asked:
        assert engine.asked() == asked["asked"]
    for event in asked.get("refused", ()):
        assert engine.write(event["event"]) == event["as"]


@of("run")
def test_it_has_the_same_history_where_its_engine_dies_after_everything(
    asked: JsonObject, engine_in: "Callable[[], Engine]"
) -> None:
    engine = engine_in()
    crashed = played(engine, asked, crashing=True)
    same(engine.history(), expected(asked["history"]))
    assert crashed == played(engine_in(), asked, crashing=False)


# tables, replies, texts -------------------------------------------------------------------------------


@of("moves")
def test_a_state_has_exactly_these_exits(asked: JsonObject) -> None:
    table = lifecycle.load(asked["moves"])
    exits = {move["target"] for move in table["moves"] if move["source"] == asked["from"]}
    assert exits == set(asked["to"])
    kinds = {state["name"]: state["kind"] for state in table["states"]}
    assert (kinds[asked["from"]] == "final") is (not asked["to"])


@of("reply")
def test_a_reply_is_read_so(asked: JsonObject) -> None:
    text = asked["reply"] * asked.get("times", 1)
    found = parse_reply(text, frozenset(asked.get("declared", ["passed", "failed"])))
    assert (found.outcome, found.code) == (asked.get("outcome"), asked.get("code"))
    assert found.result_class == asked.get("class", found.result_class)


@of("text")
def test_a_text_compiles_to_this_or_is_refused_so(asked: JsonObject) -> None:
    registry = Source(
        "absent/registry.akm", asked.get("registry", 'tool read { argv ["true"] }\nagent ada { tool read }\n')
    )
    source = Source("absent/told.akm", f'workflow told "Told by a requirement" {{\n{asked["text"]}\n}}\n')
    if "refused" in asked:
        with pytest.raises(CompileFailed) as failed:
            compile_workflow(source, registry)
        assert asked["refused"] in {each.code for each in failed.value.diagnostics}
        return
    plan: Any = json.loads(compile_workflow(source, registry).data)
    for place, wanted in asked["plan"].items():
        found = plan
        for part in place.split("/"):
            found = found[int(part)] if part.isdigit() else found[part]
        assert found == wanted, place


# the suite itself can fail ----------------------------------------------------------------------------


def test_a_history_that_is_not_exact_is_noticed(engine_in: "Callable[[], Engine]") -> None:
    asked = next(one for one in ALL if "run" in one)
    engine = engine_in()
    played(engine, asked, crashing=False)
    wanted = expected(asked["history"])
    for altered in (wanted[:-1], wanted[1:], [*wanted, wanted[-1]], [wanted[1], wanted[0], *wanted[2:]]):
        with pytest.raises((AssertionError, ValueError)):
            same(engine.history(), altered)
    name, entity, target, _ = wanted[0]
    with pytest.raises(AssertionError):
        same(engine.history(), [(name, entity, target, {"step": "another"}), *wanted[1:]])


# the page ---------------------------------------------------------------------------------------------


def test_the_page_names_every_requirement_and_what_holds_the_rest() -> None:
    """Outside of a checkout there is no page."""
    specification = importlib.util.spec_from_file_location("conformance_page", HERE / "page.py")
    assert specification is not None
    assert specification.loader is not None
    page = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(page)
    if page.PAGE.parent.is_dir():
        assert page.PAGE.read_text(encoding="utf-8") == page.page(), "run tests/conformance/page.py"
    for each in yaml.safe_load((HERE / "elsewhere.yaml").read_text(encoding="utf-8")):
        assert (HERE.parents[1] / each["held"]).is_file(), each
