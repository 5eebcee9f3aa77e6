"""A key that has no meaning here."""

from akmc.markdown.findings import LEFT_OUT
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=LEFT_OUT,
    title="A key is left out",
    explanation=(
        "Which model an agent uses, with which settings and with which variables, its registry entry says. "
        "Some reasons to try again mean that trying again would not help. Leaving these out allows nothing "
        "more."
    ),
    wrong="""\
---
steps:
  - id: draft
    unit: { model: deep }
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
  - id: review
    inputs: [steps.draft.output]
---
## draft
Write the notes.
## review
Read the notes, and mend what is wrong.
""",
    registry=MARKDOWN_REGISTRY,
    severity="warning",
    language="markdown",
)
