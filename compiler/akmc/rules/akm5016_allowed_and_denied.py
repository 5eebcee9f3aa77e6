"""Something that a scope allows and denies."""

from collections.abc import Iterator

from akmc.document import Place, Scope, WorkStep
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Scopes of steps."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, WorkStep) and step.scope is not None:
            yield from _at_odds(step.scope, ("steps", at, "scope"), f"step `{step.name}`")


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Scopes of agents."""
    for at, agent in enumerate(registry.agents):
        if agent.scope is not None:
            yield from _at_odds(agent.scope, ("agents", at, "scope"), f"agent `{agent.name}`")


def _at_odds(scope: Scope, place: Place, subject: str) -> Iterator[Finding]:
    for index, name in enumerate(scope.deny):
        if name in scope.allow:
            message = f"{subject} is allowed `{name}` and denied it"
            yield Finding((*place, "deny", index), message, "keep one of the two")


RULE = Rule(
    code="AKM5016",
    title="A scope allows and denies one thing",
    explanation=("Which of the two counts, a reader should not have to look up."),
    wrong="""\
tool claude { argv ["claude"] }
agent coder { tool claude, scope { allow [edit, shell], deny [shell] } }
""",
    right="""\
tool claude { argv ["claude"] }
agent coder { tool claude, scope { allow [edit], deny [shell] } }
""",
    check=check,
    check_registry=check_registry,
)
