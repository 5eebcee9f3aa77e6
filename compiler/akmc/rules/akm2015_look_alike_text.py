"""Two texts that are spelt with other characters and are the same to every reader."""

import unicodedata
from collections.abc import Iterable, Iterator

from akm_specs.canonical import JsonObject
from akmc.document import GateStep, Place, RouteStep
from akmc.rules.rule import Finding, Rule
from akmc.types import types_in
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Values of `one of`, texts of a route's branches, and paths of a gate's files."""
    for place, type_ in types_in(view.workflow):
        for inner, values in _choices(type_, place):
            yield from (Finding(inner, *found) for _, found in _alike(values))
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, RouteStep):
            whens = [branch.when if isinstance(branch.when, str) else "" for branch in step.branches]
            yield from (Finding(("steps", at, "branches", index), *found) for index, found in _alike(whens))
        elif isinstance(step, GateStep):
            paths = _alike(step.artifacts)
            yield from (Finding(("steps", at, "artifacts", index), *found) for index, found in paths)


def _choices(type_: JsonObject, place: Place) -> Iterator[tuple[Place, list[str]]]:
    """Each list of texts to choose from, in `type_` and in the types within it."""
    if isinstance(values := type_.get("enum"), list):
        yield place, [value for value in values if isinstance(value, str)]
    inner: list[tuple[Place, object]] = [(("items",), type_.get("items"))]
    inner += [(("properties", name), each) for name, each in (type_.get("properties") or {}).items()]
    for way, each in inner:
        if isinstance(each, dict):
            yield from _choices(each, (*place, *way))


def _alike(texts: Iterable[str]) -> Iterator[tuple[int, tuple[str, str]]]:
    first: dict[str, str] = {}
    for at, text in enumerate(texts):
        earlier = first.setdefault(unicodedata.normalize("NFC", text), text)
        if earlier != text:
            message = f"there are two texts `{text}`, which only their characters' encoding tells apart"
            yield at, (message, "keep one of the two")


RULE = Rule(
    code="AKM2015",
    title="Two texts cannot be told apart",
    explanation=(
        "An accented letter may be one character, or a letter and an accent behind it. Both look the same and "
        "are not equal, so that of two such values nobody could choose the right one."
    ),
    wrong="""\
workflow release "Build for a customer" {
  param customer: one of ["Caf\u00e9", "Cafe\u0301"]
  step build: exec build {
    with { customer: params.customer }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build for a customer" {
  param customer: one of ["Caf\u00e9", "Bistro"]
  step build: exec build {
    with { customer: params.customer }
    on passed -> completed
  }
}
""",
    check=check,
)
