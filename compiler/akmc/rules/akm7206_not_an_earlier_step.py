"""An input that no earlier step leaves behind."""

from akmc.markdown.findings import NOT_EARLIER
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=NOT_EARLIER,
    title="No step before this one leaves that behind",
    explanation=(
        "`inputs`, `over` and a route's `input` name what a step further up puts out. Parameters are attached "
        "to every step as they are, so `inputs` does not list them."
    ),
    wrong="""\
---
steps:
  - id: draft
  - id: review
    inputs: [steps.review.output]
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
  - id: review
    inputs: [steps.draft.output]
---
## draft
Write the notes.
## review
Read the notes, and mend what is wrong.
""",
    registry=MARKDOWN_REGISTRY,
    language="markdown",
)
