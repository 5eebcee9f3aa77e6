"""Two sections, or two rubrics, for one step."""

from akmc.markdown.findings import SECTION_TWICE
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=SECTION_TWICE,
    title="A step has two sections or two rubrics",
    explanation=("Which of two was meant, nobody can know, and put together they say something that nobody wrote."),
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
## draft
Write them again.
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
