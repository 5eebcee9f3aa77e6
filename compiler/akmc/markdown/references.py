"""The references of akm Markdown: `params.NAME`, and `steps.ID.output` with a path behind it."""

import re
from dataclasses import dataclass

from akm_specs.canonical import JsonObject

_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_PARAMETER = re.compile(rf"params\.({_NAME})")
_OUTPUT = re.compile(rf"steps\.({_NAME})\.output((?:\.{_NAME}|\[[0-9]+\])*)")
_PART = re.compile(rf"\.({_NAME})|\[([0-9]+)\]")
#: Longest index, in digits; no list is so long.
INDEX_DIGITS_MAX = 15


@dataclass(frozen=True, slots=True)
class Written:
    """A reference as written: to a parameter, or to what a step put out."""

    root: str
    name: str
    path: tuple[str | int, ...]

    def lowered(self) -> JsonObject:
        """The reference of the document."""
        return {"root": self.root, "name": self.name, "path": list(self.path)}


def parse_reference(text: str) -> Written | None:
    """The reference that `text` writes; None where it writes none."""
    if match := _PARAMETER.fullmatch(text):
        return Written("params", match[1], ())
    match = _OUTPUT.fullmatch(text)
    if match is None:
        return None
    parts = _PART.findall(match[2])
    if any(len(index) > INDEX_DIGITS_MAX for _, index in parts):
        return None
    return Written("output", match[1], tuple(name or int(index) for name, index in parts))
