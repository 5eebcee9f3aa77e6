"""An agent whose tool is not in the registry."""

from collections.abc import Iterator

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule
from akmc.wording import instead_of


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Tools of agents."""
    tools = [tool.name for tool in registry.tools]
    for at, agent in enumerate(registry.agents):
        if agent.tool not in tools:
            yield Finding(
                ("agents", at, "tool"),
                f"agent `{agent.name}` uses tool `{agent.tool}`, which the registry does not have",
                instead_of(agent.tool, tools, "tools"),
            )


RULE = Rule(
    code="AKM5002",
    title="An agent's tool is unknown",
    explanation=(
        "An agent is a tool that gets a prompt and answers with a declared result. The tool has to stand "
        "in the same registry."
    ),
    wrong="""\
tool claude { argv ["claude"] }
agent coder { tool cluade }
""",
    right="""\
tool claude { argv ["claude"] }
agent coder { tool claude }
""",
    check_registry=check_registry,
)
