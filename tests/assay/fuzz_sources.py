"""Altered sources of each format. What is accepted gives the same plan again, which the executor accepts too."""

import random
from functools import cache
from pathlib import Path

from tests.assay.alterations import altered_bytes, altered_text
from tests.assay.faulty import Wrong
from tests.assay.recorded import CHECKOUT

from akm.engine import plans
from akm.simulation.run import SimulatedRun
from akm.simulation.world import World
from akmc.diagnostic import CompileFailed
from akmc.lint import findings_of
from akmc.pipeline import compile_workflow
from akmc.reports.json import to_json
from akmc.reports.text import to_text
from akmc.rules import all_rules
from akmc.rules.rule import EXAMPLE_REGISTRY
from akmc.source import Source, SourceUnreadable

REGISTRY = Source("absent/registry.akm", EXAMPLE_REGISTRY)
EXAMPLES = CHECKOUT / "specs" / "workflows"


@cache
def corpus(suffix: str) -> tuple[str, ...]:
    """Sources of one format: those of our examples, and what every rule gives as wrong and as right."""
    found = [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.rglob(f"*{suffix}"))]
    for rule in all_rules():
        found += [example for example in (rule.wrong, rule.right) if _of_format(example, suffix)]
    return tuple(found)


def _of_format(text: str, suffix: str) -> bool:
    first = text.lstrip()
    if suffix == ".md":
        return first.startswith("---")
    return ("schema:" in first[:200]) if suffix == ".yaml" else not first.startswith(("---", "schema:"))


def akm(chance: random.Random, folder: Path) -> str:
    """A source in our own language."""
    return _compiled(chance, ".akm")


def yaml(chance: random.Random, folder: Path) -> str:
    """A YAML source."""
    return _compiled(chance, ".yaml")


def markdown(chance: random.Random, folder: Path) -> str:
    """A Markdown source."""
    return _compiled(chance, ".md")


def _compiled(chance: random.Random, suffix: str) -> str:
    text = altered_text(chance, chance.choice(corpus(suffix)), corpus(suffix))
    data = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.2:
        data = altered_bytes(chance, data)
    try:
        source = Source.decode(f"absent/x{suffix}", data)
    except SourceUnreadable:
        return "unreadable"
    refused = False
    for each in findings_of(source, REGISTRY):
        refused = refused or each.severity == "error"
        if not each.message or not to_text(each) or to_json(each)["line"] < 1 or each.span.end > len(source.text):
            raise Wrong(f"a finding that cannot be shown: {each}")
    try:
        compiled = compile_workflow(source, REGISTRY)
    except CompileFailed:
        return "refused"
    if refused:
        raise Wrong("findings refuse what compiles")
    if compile_workflow(source, REGISTRY).data != compiled.data:
        raise Wrong("the same source gave other bytes")
    frozen = plans.from_bytes(compiled.data, "x")
    given = {one["name"]: one["default"] for one in frozen.plan["parameters"] if "default" in one}
    simulated = all("default" in one for one in frozen.plan["parameters"])
    if simulated and all(step["kind"] not in ("deliver", "workflow") for step in frozen.plan["steps"]):
        SimulatedRun(frozen.plan, frozen.hash, given, World(frozen.plan, "1"), 0.1).drive()
        return "accepted and run"
    return "accepted"
