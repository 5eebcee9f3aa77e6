"""The names of a source: what each names, and whether it is defined or only mentioned there."""

from collections.abc import Iterator
from dataclasses import dataclass

from akmc.lsp.roles import ROLES, Kind
from akmc.source import Span
from akmc.syntax import Tree, Word


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a name stands. It may name nothing, as a terminal or a person does.

    `clause` is what stands around it: the definition, where it `defines` the name; `rule` is the clause's own rule.
    `scope` is where the name holds, for a map's item; None means the whole file.
    """

    kind: Kind
    name: str
    span: Span
    rule: str
    clause: Span
    defines: bool = False
    scope: Span | None = None

    def names_the_same_as(self, other: "Mention") -> bool:
        """Whether both are about one thing, if they stand in one file."""
        return (self.kind, self.name, self.scope) == (other.kind, other.name, other.scope)


def mentions_in(tree: Tree) -> tuple[Mention, ...]:
    """Every name in `tree` that leads to something, in the order of the text."""
    return tuple(sorted(_mentions(tree, None), key=lambda mention: mention.span.start))


def _mentions(tree: Tree, item: Mention | None) -> Iterator[Mention]:
    """The mentions in a tree; `item` is the item of the map that it stands in."""
    for mention in _of_rule(tree, item):
        if mention.kind == "item" and mention.defines:
            item = mention
        yield mention
    for child in tree.trees():
        yield from _mentions(child, item)


def _of_rule(tree: Tree, item: Mention | None) -> Iterator[Mention]:
    names = [word for word in tree.words() if word.kind == "NAME"]
    if tree.rule == "reference":
        yield from _referred(names[0], tree, item)
        return
    role = ROLES.get(tree.rule)
    for position, word in enumerate(names if role is not None else ()):
        assert role is not None, "without a role there is nothing to go through"
        kind = role.kinds[min(position, len(role.kinds) - 1)]
        if kind is not None:
            scope = tree.span if kind == "item" else None
            yield Mention(kind, word.text, word.span, tree.rule, tree.span, role.defines, scope)


def _referred(root: Word, tree: Tree, item: Mention | None) -> Iterator[Mention]:
    """What a reference begins with: a step, the item of a map, or `params` and the parameter behind it."""
    if item is not None and root.text == item.name:
        yield Mention("item", root.text, root.span, tree.rule, tree.span, scope=item.scope)
    elif root.text != "params":
        yield Mention("step", root.text, root.span, tree.rule, tree.span)
    else:
        first = next(tree.trees(), None)
        if first is not None and first.rule == "field":
            name = next(first.words())
            yield Mention("param", name.text, name.span, tree.rule, tree.span)
