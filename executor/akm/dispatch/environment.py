"""The environment of a tool: a short list that every program needs, and what its registry entry names.

Source: secrets in docs/reference/engine.md: only names are stored, and values are read at dispatch.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

#: Inherited by every tool. Nothing here is a secret.
ORDINARY_NAMES = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER", "LOGNAME")

#: Characters from which a value is masked. A shorter one ("1", "yes") is no secret worth the name, and
#: masking each of its occurrences would make the output unreadable, and tell the value by where it is gone.
SECRET_LENGTH_MIN = 4


@dataclass(frozen=True, slots=True)
class ToolEnvironment:
    """`secrets` are the values to mask; `missing` the declared names that have no value."""

    variables: Mapping[str, str]
    secrets: tuple[str, ...]
    missing: tuple[str, ...]


def tool_environment(names: Iterable[str], ambient: Mapping[str, str]) -> ToolEnvironment:
    """What a tool that declares `names` gets of the environment `ambient`, and no more."""
    declared = sorted(set(names) - set(ORDINARY_NAMES))
    variables = {name: ambient[name] for name in (*ORDINARY_NAMES, *declared) if name in ambient}
    return ToolEnvironment(
        variables,
        tuple(variables[name] for name in declared if len(variables.get(name, "")) >= SECRET_LENGTH_MIN),
        tuple(name for name in declared if name not in variables),
    )
