"""From documents back to `.akm` text: what `akmc convert` prints. Reading it gives the same document again.

Layout is the formatter's; here stands only which words say what.
"""

from collections.abc import Iterable

from akmc.document import Workflow
from akmc.fmt import formatted
from akmc.registry import Registry
from akmc.source import Source
from akmc.write.entries import entries
from akmc.write.workflow import workflow_lines


def write_workflow(workflow: Workflow) -> str:
    """The text of a workflow, in canonical layout."""
    return _laid_out(workflow_lines(workflow))


def write_registry(registry: Registry) -> str:
    """The text of a registry that has entries, in canonical layout."""
    return _laid_out(line for entry in entries(registry) for line in (*entry, ""))


def _laid_out(lines: Iterable[str]) -> str:
    return formatted(Source("converted.akm", "\n".join(lines).strip("\n") + "\n"))
