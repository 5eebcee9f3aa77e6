"""The scripts that a registry's tools name: files that are read once, to pin what a plan will run."""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from akm_specs.canonical import hash_bytes
from akm_specs.plan import Script
from akmc.registry import Registry, Tool

#: Largest script that is pinned, in bytes. A larger file is data, and no tool should be one.
SCRIPT_BYTES_MAX = 16 * 1024 * 1024

#: Tool name -> its scripts: path as in its argv -> SHA-256, or None where there is no such file.
Scripts: TypeAlias = Mapping[str, Mapping[str, str | None]]


def script_paths(tool: Tool) -> tuple[str, ...]:
    """The arguments of `tool` and of its receipt query that are paths relative to its directory."""
    arguments = (*tool.argv, *(tool.receipt or ()))
    return tuple(dict.fromkeys(each for each in arguments if each.startswith(("./", "../"))))


def read_scripts(registry: Registry, folder: Path) -> Scripts:
    """The scripts of each tool of a registry that stands in `folder`."""
    return {tool.name: dict(_hashes(tool, folder)) for tool in registry.tools}


def pinned(tool: Tool, scripts: Scripts) -> list[Script]:
    """The scripts of `tool` as its plan entry pins them, in a fixed order."""
    found = scripts.get(tool.name, {})
    return [{"path": path, "sha256": sha256} for path, sha256 in sorted(found.items()) if sha256 is not None]


def _hashes(tool: Tool, folder: Path) -> Iterator[tuple[str, str | None]]:
    directory = folder / (tool.directory or ".")
    for path in script_paths(tool):
        yield path, _hash(directory / PurePosixPath(path))
    for path in _module_paths(tool):
        if (sha256 := _hash(directory / PurePosixPath(path))) is not None:
            yield path, sha256


def _module_paths(tool: Tool) -> tuple[str, ...]:
    """Where the module of a Python tool may lie. One that is installed lies at neither, and is not pinned."""
    if tool.python is None:
        return ()
    path = tool.python.partition(":")[0].replace(".", "/")
    return f"./{path}.py", f"./{path}/__init__.py"


def _hash(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            data = file.read(SCRIPT_BYTES_MAX + 1)
    except (OSError, ValueError):
        return None
    return hash_bytes(data) if len(data) <= SCRIPT_BYTES_MAX else None
