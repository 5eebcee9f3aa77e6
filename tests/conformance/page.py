"""The page of the conformance suite: `python tests/conformance/page.py` writes docs/reference/conformance.md."""

from collections.abc import Iterator
from pathlib import Path

import yaml

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reference" / "conformance.md"
HEAD = """# Conformance

What an engine that runs akm plans promises, as requirements that another implementation can read and ask:
`tests/conformance/*.yaml`. Each says where the promise comes from. A file of requirements has a published form
(`schema.json`), and `vocabulary.yaml` has the phrases in which histories are written.

| Kind | Gives | Wants |
|---|---|---|
| `run` | the inside of a workflow, and what happens outside | exactly this history, whenever the engine dies |
| `moves` | a state of a lifecycle | exactly these exits |
| `reply` | what a producer said | this outcome, this code |
| `text` | the inside of a workflow | these places of its plan, or this refusal |

A run may also name events that the gate refuses once it stands where its script has led it.
The history begins after `run.create`, `run.prepare` and `run.start`. An engine is asked through the eight calls of
`Engine` in `tests/conformance/conftest.py`; another engine gives another one, and takes the same files.

This page is made by `tests/conformance/page.py`.
"""


def page() -> str:
    """The page."""
    return "\n".join((HEAD, *_requirements(), *_elsewhere(), ""))


def _requirements() -> Iterator[str]:
    for file in sorted(HERE.glob("[0-9]*.yaml")):
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        yield f"## `{file.name}`\n\n| Requirement | Source ({document['document']}, or the one named) |\n|---|---|"
        yield from (f"| `{each['id']}` | {_cell(each['source'])} |" for each in document["requirements"])
        yield ""


def _elsewhere() -> Iterator[str]:
    yield "## Held elsewhere\n\n| Promise | Held by |\n|---|---|"
    for each in yaml.safe_load((HERE / "elsewhere.yaml").read_text(encoding="utf-8")):
        yield f"| {_cell(each['source'])} | `{each['held']}` |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
