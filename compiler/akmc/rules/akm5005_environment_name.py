"""Something in `env` that names no variable, or names it twice."""

import re
from collections.abc import Iterator

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Names in `env`. The message shows nothing behind a `=`, which may be a secret."""
    for at, tool in enumerate(registry.tools):
        for index, name in enumerate(tool.env):
            place = ("tools", at, "env", index)
            if _NAME.fullmatch(name) is None:
                shown = name.partition("=")[0]
                message = f"tool `{tool.name}`: what begins with `{shown}` is no name of a variable"
                yield Finding(place, message, "write the name of a variable, alone")
            elif name in tool.env[:index]:
                yield Finding(place, f"tool `{tool.name}` names `{name}` twice", "keep one")


RULE = Rule(
    code="AKM5005",
    title="An environment name is not one",
    explanation=(
        "`env` holds names alone: letters, digits and underscores. A value, as in `NAME=value`, must "
        "never stand in a registry."
    ),
    wrong="""\
tool upload { argv ["upload"], env ["TOKEN=abc"] }
""",
    right="""\
tool upload { argv ["upload"], env [TOKEN] }
""",
    check_registry=check_registry,
)
