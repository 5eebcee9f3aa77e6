"""Two entries of one kind with one name."""

from collections.abc import Iterator

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Names of tools, of agents, of groups."""
    kinds = {
        "tools": [tool.name for tool in registry.tools],
        "agents": [agent.name for agent in registry.agents],
        "groups": [group.name for group in registry.groups],
    }
    for kind, names in kinds.items():
        for at, name in enumerate(names):
            if name in names[:at]:
                yield Finding(
                    (kind, at, "name"),
                    f"{kind.removesuffix('s')} `{name}` is already there",
                    "give one of the two another name",
                )


RULE = Rule(
    code="AKM5001",
    title="The registry has two entries of one name",
    explanation=("A workflow that names the entry has to get one meaning, whatever the order of the file."),
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
