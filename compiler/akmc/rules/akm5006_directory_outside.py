"""A directory that may lie outside the workspace."""

from collections.abc import Iterator

from akmc.document import Place
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule
from akmc.written_path import leaves_workspace


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Directories that are absolute or have `..` in them."""
    placed: list[tuple[Place, str, str | None]] = []
    placed += [(("tools", at), f"tool `{each.name}`", each.directory) for at, each in enumerate(registry.tools)]
    placed += [
        (("repositories", at), f"repository `{each.name}`", each.directory)
        for at, each in enumerate(registry.repositories)
    ]
    for place, what, directory in placed:
        if directory is not None and leaves_workspace(directory):
            message = f"{what} would be in `{directory}`, outside the workspace"
            yield Finding((*place, "directory"), message, "write a path below the workspace, such as `package`")


RULE = Rule(
    code="AKM5006",
    title="A directory leaves the workspace",
    explanation=(
        "A tool runs in a directory of the run's workspace, and a repository lies in one. A path that is absolute "
        "or goes upwards would leave it."
    ),
    wrong="""\
tool check { argv ["make", "check"], directory "../other" }
""",
    right="""\
tool check { argv ["make", "check"], directory "package" }
""",
    check_registry=check_registry,
)
