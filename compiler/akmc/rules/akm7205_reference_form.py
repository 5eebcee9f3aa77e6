"""A text that should be a reference and is none."""

from akmc.markdown.findings import REFERENCE_FORM
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=REFERENCE_FORM,
    title="This is no reference",
    explanation=(
        "There are two forms: `params.NAME`, and `steps.ID.output`, behind which `.field` and `[0]` lead "
        "further in."
    ),
    wrong="""\
---
steps:
  - id: draft
  - id: review
    inputs: [draft.output]
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
