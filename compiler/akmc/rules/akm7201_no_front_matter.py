"""A Markdown file without a front matter."""

from akmc.markdown.findings import NO_FRONT_MATTER
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=NO_FRONT_MATTER,
    title="There is no front matter",
    explanation=(
        "A workflow begins with a line `---`. Its steps follow in YAML, up to the next line that is `---` and "
        "nothing else."
    ),
    wrong="""\
---
steps:
  - id: draft
  - id: review
    inputs: [steps.draft.output]
--- # that is all
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
