"""A route that picks what it cannot."""

from akmc.markdown.findings import BAD_ROUTE
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=BAD_ROUTE,
    title="A route cannot pick this step",
    explanation=(
        "A route picks a step that comes after it. Only other steps that it could have picked, which are then "
        "passed by, may stand in between: of anything else nobody could say whether it is done."
    ),
    wrong="""\
---
params: { mode: { type: string } }
steps:
  - id: draft
  - id: choose
    route: { input: params.mode, when: [{ match: long, step: extend }], default: draft }
  - id: extend
  - id: publish
---
## draft
Write the notes.
## extend
Say more.
## publish
Publish the notes.
""",
    right="""\
---
params: { mode: { type: string } }
steps:
  - id: draft
  - id: choose
    route: { input: params.mode, when: [{ match: long, step: extend }], default: publish }
  - id: extend
  - id: publish
---
## draft
Write the notes.
## extend
Say more.
## publish
Publish the notes.
""",
    registry=MARKDOWN_REGISTRY,
    language="markdown",
)
