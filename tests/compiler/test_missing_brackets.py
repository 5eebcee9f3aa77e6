"""A bracket that is missing is reported at the block that lacks it, as far as the layout tells."""

from collections.abc import Callable
from typing import Any

import pytest

FindingsOf = Callable[..., Any]

WHOLE = """\
workflow w "T" {
  limits {
    transitions 9
  }

  step one: agent coder {
    prompt "Write."
    gate {
      judge critic_a
      rubric "Good."
    }
    on passed -> two
  }

  step two: exec build {
    with {
      a: [
        1
      ]
    }
    on passed -> completed
  }
}
"""
LINES = WHOLE.splitlines()


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def test_the_whole_text_is_sound(findings: FindingsOf) -> None:
    assert findings(WHOLE) == ()


@pytest.mark.parametrize("missing", [at for at, line in enumerate(LINES) if line.strip() in ("}", "]")])
def test_the_block_that_lacks_its_bracket_is_named(findings: FindingsOf, missing: int) -> None:
    margin = indentation(LINES[missing])
    openers = [
        at for at, line in enumerate(LINES[:missing]) if line.endswith(("{", "[")) and indentation(line) == margin
    ]
    found = findings("\n".join(LINES[:missing] + LINES[missing + 1 :]) + "\n")
    places = [(each.code, each.source.position(each.span.start).line - 1) for each in found]
    assert ("AKM0003", openers[-1]) in places
    assert len(found) <= 2


def test_a_text_without_indentation_is_blamed_at_its_end(findings: FindingsOf) -> None:
    flat = "\n".join(line.strip() for line in LINES[:-1]) + "\n"
    (found,) = findings(flat)
    assert (found.code, found.span.start) == ("AKM0003", WHOLE.index("{"))
