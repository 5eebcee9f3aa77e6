"""Something in `env`, or among the secrets of a scope, that names no variable, or names it twice."""

import re
from collections.abc import Iterator, Sequence

from akmc.document import Place
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Names in `env` and in scopes. The message shows nothing behind a `=`, which may be a secret."""
    for at, tool in enumerate(registry.tools):
        yield from _misnamed(tool.env, ("tools", at, "env"), f"tool `{tool.name}`")
        for index, name in enumerate(tool.env):
            if name in tool.env[:index]:
                yield Finding(("tools", at, "env", index), f"tool `{tool.name}` names `{name}` twice", "keep one")
    for at, agent in enumerate(registry.agents):
        if agent.scope is not None:
            place = ("agents", at, "scope", "secrets")
            yield from _misnamed(agent.scope.secrets, place, f"agent `{agent.name}`")


def _misnamed(names: Sequence[str], place: Place, subject: str) -> Iterator[Finding]:
    for index, name in enumerate(names):
        if _NAME.fullmatch(name) is None:
            shown = name.partition("=")[0]
            message = f"{subject}: what begins with `{shown}` is no name of a variable"
            yield Finding((*place, index), message, "write the name of a variable, alone")


RULE = Rule(
    code="AKM5005",
    title="An environment name is not one",
    explanation=(
        "`env`, and `secrets` in a scope, hold names alone: letters, digits and underscores. A value, as in "
        "`NAME=value`, must never stand in a registry."
    ),
    wrong="""\
tool upload { argv ["upload"], env ["TOKEN=abc"] }
""",
    right="""\
tool upload { argv ["upload"], env [TOKEN] }
""",
    check_registry=check_registry,
)
