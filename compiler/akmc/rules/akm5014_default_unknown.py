"""A default that the registry does not have."""

from collections.abc import Iterator

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule
from akmc.wording import instead_of


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Agents of `defaults`."""
    agents = [agent.name for agent in registry.agents]
    for member, name in (("agent", registry.defaults.agent), ("judge", registry.defaults.judge)):
        if name is not None and name not in agents:
            message = f"by default `{name}` is the {member}, and the registry has no agent of that name"
            yield Finding(("defaults", member), message, instead_of(name, agents, "agents"))


RULE = Rule(
    code="AKM5014",
    title="A default names no agent",
    explanation=(
        "`defaults` says who works and who judges where a workflow names nobody. They are agents of the registry."
    ),
    wrong="""\
tool claude { argv ["claude"] }
agent critic { tool claude }
defaults { judge crtic }
""",
    right="""\
tool claude { argv ["claude"] }
agent critic { tool claude }
defaults { judge critic }
""",
    check_registry=check_registry,
)
