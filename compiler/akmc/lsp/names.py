"""What the name at a place means: where it is defined, and everywhere it stands."""

from dataclasses import dataclass
from functools import lru_cache

from akmc.lsp.buffers import Buffers
from akmc.lsp.roles import LOCAL, Kind
from akmc.lsp.symbols import Mention, mentions_in
from akmc.parse import parse_partly
from akmc.source import Source, SourceUnreadable
from akmc.syntax import Tree

#: One question after the other is about the same few texts: those of a workflow, its registry, and the last change.
TEXTS_REMEMBERED = 8


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a name is defined."""

    source: Source
    mention: Mention


@lru_cache(TEXTS_REMEMBERED)
def tree_of(source: Source) -> Tree | None:
    """The tree of what can be read of a source."""
    return parse_partly(source)


@lru_cache(TEXTS_REMEMBERED)
def mentions_of(source: Source) -> tuple[Mention, ...]:
    """Every name in a source, as far as it can be read."""
    tree = tree_of(source)
    return () if tree is None else mentions_in(tree)


def mention_at(mentions: tuple[Mention, ...], offset: int) -> Mention | None:
    """The name that stands at `offset`, or that ends there."""
    touching = (each for each in mentions if each.span.start <= offset <= each.span.end)
    return next(iter(sorted(touching, key=lambda each: each.span.start == each.span.end)), None)


def definition_of(buffers: Buffers, source: Source, mention: Mention) -> Definition | None:
    """Where what `mention` names is defined: in `source` itself, or in the registry beside it."""
    for home in homes_of(buffers, source, mention.kind):
        for each in mentions_of(home):
            if each.defines and each.names_the_same_as(mention):
                return Definition(home, each)
    return None


def homes_of(buffers: Buffers, source: Source, kind: Kind) -> list[Source]:
    """The sources in which names of `kind` that `source` mentions may be defined."""
    if kind in LOCAL:
        return [source]
    try:
        registry = buffers.registry_beside(source.path)
    except SourceUnreadable:
        registry = None
    return [source] if registry is None or registry.path == source.path else [source, registry]
