"""Isolation for what changes nothing."""

from akmc.markdown.findings import ISOLATED_READER
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

_REGISTRY = (
    MARKDOWN_REGISTRY
    + """\
tool editor { argv ["edit"], effect workspace_mutation }
agent writer { tool editor }
"""
)

RULE = Rule(
    code=ISOLATED_READER,
    title="There is nothing to isolate",
    explanation=(
        "An isolated step works in a worktree of its own, so that what it writes can be thrown away. The tool "
        "of an agent that only reads writes nothing."
    ),
    wrong="""\
---
steps:
  - id: draft
    unit: { isolation: worktree }
  - id: review
    inputs: [steps.draft.output]
---
## draft
Write the notes.
## review
Read the notes, and mend what is wrong.
""",
    right="""\
---
steps:
  - id: draft
    unit: { engine: writer, isolation: worktree }
  - id: review
    inputs: [steps.draft.output]
---
## draft
Write the notes.
## review
Read the notes, and mend what is wrong.
""",
    registry=_REGISTRY,
    language="markdown",
)
