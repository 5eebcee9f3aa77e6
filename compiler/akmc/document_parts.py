"""Where a part of a document begins, told by the text alone: what reading goes on with after an error."""

import re

from akmc.syntax import Kind

_NAME = r"[ \t]+[A-Za-z][\w-]*[ \t]*"
#: What begins a part of a workflow (group 1) or of a registry, where it stands first on a line.
_HEAD = re.compile(
    rf"((?:step|param){_NAME}:|limits[ \t]*\{{|require{_NAME}(?:before|at|reaches)\b|never{_NAME}after\b)"
    rf"|(?:tool|agent|repository){_NAME}\{{|group{_NAME}\[|defaults[ \t]*\{{"
)


def document_begun_by(text: str, at: int) -> Kind | None:
    """The kind of document whose part begins at the offset `at`; None when none begins there."""
    head = _HEAD.match(text, at)
    if head is None or not _is_first_on_line(text, at):
        return None
    return "registry" if head[1] is None else "workflow"


def _is_first_on_line(text: str, at: int) -> bool:
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    return at == 0 or text[at - 1] == "\n"
