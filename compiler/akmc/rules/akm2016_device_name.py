"""A name that some systems keep for a device."""

from collections.abc import Iterable, Iterator

from akmc.document import Place
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule
from akmc.view import View

DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{at}" for port in ("com", "lpt") for at in range(10))})


def check(view: View) -> Iterator[Finding]:
    """Names of the workflow, of steps and of evidence."""
    workflow = view.workflow
    named: list[tuple[Place, str]] = [(("name",), workflow.name)]
    for at, step in enumerate(workflow.steps):
        named.append((("steps", at, "name"), step.name))
        named += [(("steps", at, "evidence", index, "name"), each.name) for index, each in enumerate(step.evidence)]
    return _devices(named)


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Names of repositories and of agents."""
    named: list[tuple[Place, str]] = []
    named += [(("repositories", at, "name"), each.name) for at, each in enumerate(registry.repositories)]
    named += [(("agents", at, "name"), each.name) for at, each in enumerate(registry.agents)]
    return _devices(named)


def _devices(named: Iterable[tuple[Place, str]]) -> Iterator[Finding]:
    for place, name in named:
        if name.casefold() in DEVICES:
            yield Finding(place, f"`{name}` is the name of a device on Windows", "choose another name")


RULE = Rule(
    code="AKM2016",
    title="A name belongs to a device",
    explanation=(
        "Names become names of files, and Windows takes `con`, `prn`, `aux`, `nul`, `com0` to `com9` and `lpt0` "
        "to `lpt9` for devices, in any case and with any ending. A run of such a workflow could not be kept there."
    ),
    wrong="""\
workflow release "Build" {
  step aux: exec build { on passed -> completed }
}
""",
    right="""\
workflow release "Build" {
  step auxiliary: exec build { on passed -> completed }
}
""",
    check=check,
    check_registry=check_registry,
)
