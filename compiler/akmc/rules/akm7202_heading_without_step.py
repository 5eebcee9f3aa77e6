"""A heading that names no step."""

from akmc.markdown.findings import NO_SUCH_STEP
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=NO_SUCH_STEP,
    title="A heading of the second level names no step",
    explanation=(
        "Each `## NAME` begins the section of the step with exactly this name. What is no step has a heading "
        "of another level."
    ),
    wrong="""\
---
steps:
  - id: draft
  - id: review
    inputs: [steps.draft.output]
---
## draft
Write the notes.
## review
Read the notes, and mend what is wrong.
## notes
Keep them short.
""",
    right="""\
---
steps:
  - id: draft
  - id: review
    inputs: [steps.draft.output]
---
## draft
Write the notes.
## review
Read the notes, and mend what is wrong.
### notes
Keep them short.
""",
    registry=MARKDOWN_REGISTRY,
    language="markdown",
)
