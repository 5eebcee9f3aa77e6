"""A directory that may lie outside the workspace."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Directories that are absolute or have `..` in them."""
    for at, tool in enumerate(registry.tools):
        path = PurePosixPath(tool.directory or ".")
        if path.is_absolute() or ".." in path.parts:
            yield Finding(
                ("tools", at, "directory"),
                f"tool `{tool.name}` would run in `{tool.directory}`, outside the workspace",
                "write a path below the workspace, such as `package`",
            )


RULE = Rule(
    code="AKM5006",
    title="A tool's directory leaves the workspace",
    explanation=(
        "A tool runs in a directory of the run's workspace. A path that is absolute or goes upwards would leave it."
    ),
    wrong="""\
tool check { argv ["make", "check"], directory "../other" }
""",
    right="""\
tool check { argv ["make", "check"], directory "package" }
""",
    check_registry=check_registry,
)
