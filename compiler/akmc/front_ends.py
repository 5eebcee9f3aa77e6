"""The formats of sources: which of them a file is in, and reading it. Whatever is read lowers to one document.

Each format only says what it means. Checks, defaults and hashes are the same for all of them
(docs/reference/front-ends.md).
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from akmc.document import NAME_LENGTH_MAX
from akmc.lower_workflow import lower_workflow
from akmc.lowered import Lowered
from akmc.parse import parse
from akmc.source import Source
from akmc.surroundings import Surroundings
from akmc.syntax import Parsed

if TYPE_CHECKING:
    from akmc.kxm.read import KxmGates, KxmWorkflow
    from akmc.markdown.read import MarkdownWorkflow

#: The registry that a workflow uses if nothing else is said, in the workflow's own folder.
REGISTRY_FILE = "registry.akm"

Read: TypeAlias = "Parsed | KxmWorkflow | KxmGates | MarkdownWorkflow"

_YAML = (".yaml", ".yml")
_MARKDOWN = (".md",)
#: What begins a file of another format that is a source: other files end in the same letters.
_SIGNS = {
    **dict.fromkeys(
        _YAML, re.compile(rb"^[\"']?schema[\"']?:[ ]*[\"']?kxm\.(workflow|gate-registry)\.", re.MULTILINE)
    ),
    **dict.fromkeys(_MARKDOWN, re.compile(rb"\A(\xef\xbb\xbf)?---\r?\n(?:(?!---\r?$).*\n)*?steps:", re.MULTILINE)),
}
#: How much of such a file is looked at, in bytes.
_HEAD_BYTES = 64 * 1024


def read(source: Source) -> Read:
    """What `source` holds, in the format that its name tells. Raises CompileFailed with every fault of its form."""
    if source.path.endswith(_YAML):
        from akmc.kxm.read import read_kxm  # here, because few sources are in that format

        return read_kxm(source, workflow_name(source.path))
    if source.path.endswith(_MARKDOWN):
        from akmc.markdown.read import read_markdown

        return read_markdown(source, workflow_name(source.path))
    return parse(source)


def is_lifecycle(found: Read) -> TypeGuard[Parsed]:
    """Whether a lifecycle was read, which only our own format has."""
    return found.kind == "lifecycle"


def lower_any(found: Read, around: Surroundings) -> Lowered:
    """The document of a workflow in any format. Raises CompileFailed."""
    if isinstance(found, Parsed):
        return lower_workflow(found)
    assert found.kind == "workflow", found
    return found.lower(around)


def gates_of(found: Read) -> Source | None:
    """The registry of gates that the project of a workflow keeps, if it has one. Raises SourceUnreadable."""
    if not found.source.path.endswith(_YAML):
        return None
    from akmc.kxm.read import gates_near

    return gates_near(found.source.path)


def registry_places(path: str) -> Iterator[Path]:
    """Where the registry of the workflow at `path` is looked for, in this order."""
    yield Path(path).with_name(REGISTRY_FILE)
    if path.endswith(_YAML):  # beside the gates of the project, which lie above its workflows
        yield Path(path).parent.parent / REGISTRY_FILE


def workflow_name(path: str) -> str:
    """The name of a workflow in a format that names it after its file, with every other character a hyphen."""
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", PurePath(path).stem).strip("-")[:NAME_LENGTH_MAX].strip("-")
    return stem if stem[:1].isalpha() else f"workflow-{stem}".strip("-")


def is_source(path: Path) -> bool:
    """Whether a file that lies in a folder is a source: by its name or, where others use that too, by its start."""
    signs = _SIGNS.get(path.suffix)
    if signs is None:
        return True
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return True  # reading it will say what is wrong
    return signs.search(head) is not None
