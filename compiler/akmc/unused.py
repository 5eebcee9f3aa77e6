"""Entries of a registry that nothing beside it names. Only who looks at a whole folder can say so."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.document import Place
from akmc.front_ends import REGISTRY_FILE
from akmc.lower_registry import lower_registry
from akmc.parse import parse
from akmc.registry import Registry
from akmc.shape import shaped
from akmc.source import Source, SourceUnreadable
from akmc.walk import sources_under

UNUSED = "AKM5020"

_WORD = re.compile(r"[A-Za-z][\w-]*")


def unused_entries(files: Iterable[str]) -> Iterator[Diagnostic]:
    """What nothing names of each registry in `files` whose whole folder, and all below it, is among them.

    A name counts as used wherever it stands as a word, so that no entry is blamed that some front end knows.
    """
    known = {str(Path(file).absolute()): file for file in files}
    for path, file in known.items():
        beside = Path(path).parent
        if Path(path).name == REGISTRY_FILE and _under(beside) <= known.keys():
            others = [each for each in known if each != path and Path(each).is_relative_to(beside)]
            if others:
                yield from _unnamed(file, frozenset(_words(others)))


def _under(folder: Path) -> set[str]:
    return {str(Path(each).absolute()) for each in sources_under([str(folder)]).files}


def _words(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        try:
            yield from _WORD.findall(Source.read(path).text)
        except SourceUnreadable:
            continue  # it is reported where it is checked


def _unnamed(file: str, words: frozenset[str]) -> Iterator[Diagnostic]:
    try:
        source = Source.read(file)
        parsed = parse(source)
        if parsed.kind != "registry":
            return
        lowered = lower_registry(parsed)
        registry = shaped(lowered, Registry)
    except (CompileFailed, SourceUnreadable):
        return
    for place, kind, name in _entries(registry, words):
        message = f"no source beside this registry uses {kind} `{name}`"
        span = lowered.span((*place, "name"))
        yield Diagnostic(UNUSED, "warning", message, "take it out, or use it", source, span)


def _entries(registry: Registry, words: frozenset[str]) -> Iterator[tuple[Place, str, str]]:
    """Each entry that `words` do not name: its place, its kind, its name. A default counts as used."""
    named = words | {registry.defaults.agent, registry.defaults.judge}
    agents = [agent for agent in registry.agents if agent.name in named]
    scopes = [agent.scope for agent in agents if agent.scope is not None]
    for kind, member, used in (
        ("tool", "tools", words | {agent.tool for agent in agents}),
        ("agent", "agents", named),
        ("group", "groups", words),
        ("repository", "repositories", words.union(*((*scope.read, *scope.write) for scope in scopes))),
    ):
        for at, entry in enumerate(getattr(registry, member)):
            if entry.name not in used:
                yield (member, at), kind, entry.name
