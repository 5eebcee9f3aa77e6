"""A key that has no meaning here."""

from akmc.markdown.findings import LEFT_OUT
from akmc.rules.rule import EXAMPLE_REGISTRY, Rule

_REGISTRY = EXAMPLE_REGISTRY + "defaults { agent coder, judge coder }\n"

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
    registry=_REGISTRY,
    severity="warning",
    language="markdown",
)
