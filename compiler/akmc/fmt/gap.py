"""What stands between two words of a source: line ends, a comma, comments."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a line of its own, from its `#`. `spaced` says that a blank line comes before it."""

    text: str
    spaced: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """What stands between two words.

    `remark` is the comment on the line of the word before, if there is one; `comments` are those on lines of
    their own. `parts` says that a line end or a comma parts the two words, `spaced` that a blank line stands
    before the second.
    """

    remark: str
    comments: tuple[Comment, ...]
    parts: bool
    spaced: bool


def gap_of(text: str) -> Gap:
    """The gap whose text is `text`: from the end of a word, or of the line before the first, to the next word."""
    first, *lines = text.split("\n")
    sign, hash_sign, remark = first.partition("#")
    comments: list[Comment] = []
    spaced = False
    for line in lines[:-1]:
        comment = _trimmed(line)
        if comment:
            comments.append(Comment(comment, spaced))
        spaced = not comment
    last = _trimmed(lines[-1]) if lines else ""
    if last:  # a comment that ends the file without a line end
        comments.append(Comment(last, spaced))
    return Gap(_trimmed(hash_sign + remark), tuple(comments), bool(lines) or "," in sign, spaced)


def _trimmed(line: str) -> str:
    return line.strip(" \t")
