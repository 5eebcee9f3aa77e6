"""Whether two trees say the same, wherever their words stand and however they are spelled."""

from akmc.fmt.spelling import spelled
from akmc.lower_words import raw_text
from akmc.syntax import Tree, Word


def says_the_same(one: Tree | Word, other: Tree | Word) -> bool:
    """Whether both trees have the same rules and, in the same places, words that mean the same."""
    if isinstance(one, Word) or isinstance(other, Word):
        return isinstance(one, Word) and isinstance(other, Word) and _said(one) == _said(other)
    return (
        one.rule == other.rule
        and len(one.children) == len(other.children)
        and all(map(says_the_same, one.children, other.children))
    )


def _said(word: Word) -> tuple[str, str]:
    return word.kind, raw_text(word) if word.kind == "TEXT" else spelled(word)
