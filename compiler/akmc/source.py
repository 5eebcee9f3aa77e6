"""A source text and the places in it. Offsets become lines and columns here and nowhere else."""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

#: How the names of sources end, in our own format and in all. A folder is searched for these.
OWN_SUFFIXES = (".akm",)
SUFFIXES = (*OWN_SUFFIXES, ".yaml", ".yml", ".md")

#: Largest source, in bytes of the file. A workflow is read by people; a larger file is no workflow.
SOURCE_BYTES_MAX = 1024 * 1024

BYTE_ORDER_MARK = "\ufeff"


class SourceUnreadable(Exception):
    """The file cannot be had as text: absent, no file, not permitted, too large, or not UTF-8."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source text, as offsets in Unicode code points: [start, end)."""

    start: int
    end: int

    def __post_init__(self) -> None:
        assert 0 <= self.start <= self.end, self

    def to(self, other: "Span") -> "Span":
        """The smallest span that holds this one and `other`."""
        return Span(min(self.start, other.start), max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Position:
    """Where an offset stands for a reader. Both count from 1; a column counts code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Source:
    """One source text under the path that the user gave.

    Invariant: `text` has no byte order mark and ends its lines with LF alone, whatever it was made from,
    so that a file means the same (and hashes the same) on every platform. Neither change moves a column.
    `given` is the text before these changes, for formats that are stricter.
    """

    path: str
    text: str
    given: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "given", self.text)
        text = self.text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n").replace("\r", "\n")
        object.__setattr__(self, "text", text)

    @classmethod
    def read(cls, path: str | Path) -> "Source":
        """The source in the file `path`. Raises SourceUnreadable."""
        return cls.decode(str(path), read_bytes(path))

    @classmethod
    def decode(cls, path: str, data: bytes) -> "Source":
        """The source whose file has the content `data`. Raises SourceUnreadable."""
        if len(data) > SOURCE_BYTES_MAX:
            raise SourceUnreadable(path, f"larger than {SOURCE_BYTES_MAX} bytes, which no source may be")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SourceUnreadable(path, f"not UTF-8 text: byte {error.start} fits no character") from error
        if "\0" in text:
            raise SourceUnreadable(path, f"not a text file: it has a NUL at character {text.index(chr(0))}")
        return cls(path, text)

    def position(self, offset: int) -> Position:
        """The line and column of `offset`, which may be one past the end."""
        assert 0 <= offset <= len(self.text), offset
        line_start = self.text.rfind("\n", 0, offset) + 1
        return Position(self.text.count("\n", 0, offset) + 1, offset - line_start + 1)

    def line_around(self, offset: int) -> tuple[Span, str]:
        """The span and the text of the line that `offset` stands in, without its line end."""
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        span = Span(start, end if end >= 0 else len(self.text))
        return span, self.text[span.start : span.end]


def read_bytes(path: str | Path) -> bytes:
    """What the file `path` holds, up to one byte more than a source may have. Raises SourceUnreadable."""
    try:
        return _read(path)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        raise SourceUnreadable(str(path), _why_not_read(error)) from error


def _read(path: str | Path) -> bytes:
    """The file's bytes. A pipe may never end, so it is refused."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is no regular file")
        return file.read(SOURCE_BYTES_MAX + 1)


def _why_not_read(error: OSError | ValueError) -> str:
    match error:
        case FileNotFoundError():
            return "no such file"
        case IsADirectoryError():
            return "is a directory, not a file"
        case PermissionError():
            return "you have no permission to read it"
        case OSError():
            return f"cannot be read: {error.strerror or error}"
        case _:
            return f"cannot be read: {error}"
