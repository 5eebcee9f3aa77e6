"""Two entries of one kind with one name."""

from collections.abc import Iterator

from akmc.document import Place
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Names of tools, of agents, of groups, of repositories."""
    yield from _repeated("tool", ("tools",), [tool.name for tool in registry.tools])
    yield from _repeated("agent", ("agents",), [agent.name for agent in registry.agents])
    yield from _repeated("group", ("groups",), [group.name for group in registry.groups])
    yield from _repeated("repository", ("repositories",), [each.name for each in registry.repositories])


def _repeated(kind: str, place: Place, names: list[str]) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        earlier = names[first.setdefault(name.casefold(), at)]
        if first[name.casefold()] != at:
            message = f"{kind} `{name}` is already there" + ("" if earlier == name else f", as `{earlier}`")
            yield Finding((*place, at, "name"), message, "give one of the two another name")


RULE = Rule(
    code="AKM5001",
    title="The registry has two entries of one name",
    explanation=(
        "A workflow that names the entry has to get one meaning, whatever the order of the file. Names that differ "
        "in case alone are one name on some systems, and to many readers."
    ),
    wrong="""\
tool check { argv ["make", "check"] }
tool check { argv ["pytest"] }
""",
    right="""\
tool check { argv ["make", "check"] }
tool test { argv ["pytest"] }
""",
    check_registry=check_registry,
)
