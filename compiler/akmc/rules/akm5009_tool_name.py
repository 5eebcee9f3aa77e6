"""A tool that no gate could name."""

from collections.abc import Iterator

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule

_TAKEN = ("schema", "artifacts_exist")


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Tools that are called like what a gate checks itself."""
    for at, tool in enumerate(registry.tools):
        if tool.name in _TAKEN:
            message = f"`gate {tool.name}` means a check of the language, never tool `{tool.name}`"
            yield Finding(("tools", at, "name"), message, "give the tool another name")


RULE = Rule(
    code="AKM5009",
    title="A tool's name is a word of the language",
    explanation=(
        "`gate schema` and `gate artifacts_exist` are checks of the language itself, so no tool may be called so."
    ),
    wrong="""\
tool schema { argv ["check-schema"] }
""",
    right="""\
tool check_schema { argv ["check-schema"] }
""",
    check_registry=check_registry,
)
