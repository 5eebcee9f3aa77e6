"""A scope over a repository that the registry does not have."""

from collections.abc import Iterator

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule
from akmc.wording import instead_of


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Repositories in the scopes of agents."""
    known = [repository.name for repository in registry.repositories]
    for at, agent in enumerate(registry.agents):
        for member in ("read", "write"):
            for index, name in enumerate(getattr(agent.scope, member, ())):
                if name not in known:
                    message = f"agent `{agent.name}` may {member} `{name}`, and the registry has no such repository"
                    place = ("agents", at, "scope", member, index)
                    yield Finding(place, message, instead_of(name, known, "repositories"))


RULE = Rule(
    code="AKM5015",
    title="A scope names no repository",
    explanation=("What an agent may read and write are repositories of the registry, by their names."),
    wrong="""\
tool claude { argv ["claude"] }
agent coder { tool claude, scope { write [siet] } }
repository site { directory "site" }
""",
    right="""\
tool claude { argv ["claude"] }
agent coder { tool claude, scope { write [site] } }
repository site { directory "site" }
""",
    check_registry=check_registry,
)
