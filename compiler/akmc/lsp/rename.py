"""Renaming a step, a parameter or a state: everywhere, or not at all."""

from collections import Counter
from dataclasses import replace

from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.lint import findings_of
from akmc.lsp.names import mention_at
from akmc.lsp.roles import LOCAL
from akmc.lsp.symbols import Mention, mentions_in
from akmc.parse import parse
from akmc.source import Source, Span


class RenameRefused(Exception):
    """The name cannot be changed, or not to this one. The message says why, to people."""


def renamed(source: Source, registry: Source | None, offset: int, name: str) -> tuple[Span, ...]:
    """Everywhere in `source` where the name at `offset` stands, if it can become `name`. Raises RenameRefused.

    It can, if the text means the same afterwards: it has no new error, and the new name names nothing else.
    """
    mention = renamable(source, offset)
    before = mentions_in(parse(source).tree)
    spans = tuple(each.span for each in before if each.names_the_same_as(mention))
    if name == mention.name:
        return spans
    if any(each.names_the_same_as(replace(mention, name=name)) for each in before):
        raise RenameRefused(f"`{name}` has a meaning here already")
    changed = Source(source.path, _replaced(source.text, spans, name))
    worse = _new_errors(source, changed, registry)
    if worse:
        raise RenameRefused(f"{worse[0].code}: {worse[0].message}")
    wanted = [(each.kind, name if each.names_the_same_as(mention) else each.name) for each in before]
    if wanted != [(each.kind, each.name) for each in mentions_in(parse(changed).tree)]:
        raise RenameRefused(f"with `{name}` the text would mean something else")
    return spans


def renamable(source: Source, offset: int) -> Mention:
    """The name at `offset`, if it can be changed at all. Raises RenameRefused."""
    try:
        mentions = mentions_in(parse(source).tree)
    except CompileFailed as failed:
        line = source.position(failed.diagnostics[0].span.start).line
        raise RenameRefused(f"line {line} has a syntax error, so not every mention can be found") from failed
    mention = mention_at(mentions, offset)
    if mention is None or mention.kind not in LOCAL:
        raise RenameRefused("only steps, parameters and states can be renamed")
    if not any(each.defines and each.names_the_same_as(mention) for each in mentions):
        raise RenameRefused(f"`{mention.name}` is not defined here")
    return mention


def _replaced(text: str, spans: tuple[Span, ...], name: str) -> str:
    for span in reversed(spans):
        text = text[: span.start] + name + text[span.end :]
    return text


def _new_errors(before: Source, after: Source, registry: Source | None) -> list[Diagnostic]:
    """The errors in `after` of kinds that `before` has fewer of."""
    known = Counter(found.code for found in findings_of(before, registry))
    found = [each for each in findings_of(after, registry) if each.severity == "error"]
    counts = Counter(each.code for each in found)
    return [each for each in found if counts[each.code] > known[each.code]]
