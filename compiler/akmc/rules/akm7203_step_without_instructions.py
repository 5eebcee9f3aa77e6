"""A step that nobody is told how to do."""

from akmc.markdown.findings import NO_INSTRUCTIONS
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=NO_INSTRUCTIONS,
    title="A step has no instructions",
    explanation=(
        "What a step is to do stands below its heading, before `### gate`. Only a route needs nobody to do "
        "it. A fence of backticks or tildes that is not closed hides the headings behind it."
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
