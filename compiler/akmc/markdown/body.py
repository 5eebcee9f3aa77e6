"""The two parts of an akm Markdown workflow: the front matter, and the sections of the body, one a step."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.markdown.findings import NO_FRONT_MATTER
from akmc.source import Source, Span

_FENCE = "---"
_CODE = re.compile(r"\s*(?:`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})\s+(.+)")
_CLOSING_MARKS = re.compile(r"\s+#+\s*$")
_RUBRIC = "gate"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside of code. `line` counts from 0."""

    level: int
    text: str
    line: int
    span: Span


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below a heading of the second level: instructions and, behind `### gate`, a rubric.

    Blank lines around them are gone; otherwise they are as the author wrote them, and empty if there are none.
    """

    heading: Heading
    instructions: str
    rubric: str
    second_rubric: Heading | None


def front_matter(source: Source) -> tuple[Span, int]:
    """Where the front matter stands, and the line, from 0, on which the body begins. Raises CompileFailed."""
    lines = source.text.split("\n")
    closing = next((at for at, line in enumerate(lines) if at and line == _FENCE), None)
    if lines[0] != _FENCE or closing is None:
        message = "the file does not begin with a front matter"
        advice = "begin it with a line `---`, the steps in YAML, and another line `---`"
        raise CompileFailed([Diagnostic(NO_FRONT_MATTER, "error", message, advice, source, Span(0, 0))])
    start = len(_FENCE) + 1
    end = max(start, sum(len(line) + 1 for line in lines[:closing]) - 1)
    return Span(start, end), closing + 1


def sections(source: Source, body: int) -> Iterator[Section]:
    """The sections of the body, which begins on line `body`, in order. What stands before them is nobody's."""
    lines = source.text.split("\n")
    headings = list(_headings(lines, body))
    for at, heading in enumerate(headings):
        if heading.level != 2:
            continue
        end = next((each.line for each in headings[at + 1 :] if each.level <= 2), len(lines))
        inner = [each for each in headings[at + 1 :] if each.line < end]
        rubrics = [each for each in inner if each.level == 3 and each.text == _RUBRIC]
        prose_end = rubrics[0].line if rubrics else end
        rubric = _prose(lines[prose_end + 1 : end]) if rubrics else ""
        second = rubrics[1] if len(rubrics) > 1 else None
        yield Section(heading, _prose(lines[heading.line + 1 : prose_end]), rubric, second)


def _headings(lines: list[str], body: int) -> Iterator[Heading]:
    offset, in_code = sum(len(line) + 1 for line in lines[:body]), False
    for at, line in enumerate(lines[body:], body):
        if _CODE.match(line):
            in_code = not in_code
        elif not in_code and (match := _HEADING.fullmatch(line)):
            text = _CLOSING_MARKS.sub("", match[2]).strip()
            yield Heading(len(match[1]), text, at, Span(offset, offset + len(line)))
        offset += len(line) + 1


def _prose(lines: list[str]) -> str:
    """The lines as one text, without the blank ones around it."""
    written = [at for at, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[written[0] : written[-1] + 1]) if written else ""
