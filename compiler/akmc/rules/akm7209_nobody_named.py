"""A step that nobody works on."""

from akmc.markdown.findings import NOBODY
from akmc.rules.rule import Rule

RULE = Rule(
    code=NOBODY,
    title="Nobody is named who works on a step",
    explanation=(
        "A step is done by the `engine` that its unit names, else by the one in `defaults`, else by the agent "
        "in the registry's `defaults`."
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
""",
    right="""\
---
defaults: { engine: coder }
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
    language="markdown",
)
