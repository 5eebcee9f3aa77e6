"""Keys of a step that do not go together."""

from akmc.markdown.findings import KEYS_APART
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=KEYS_APART,
    title="Two keys of a step do not go together",
    explanation=(
        "A step does one thing: its `unit`, its `map` or its `route`. A map has its unit inside, and a route "
        "starts nothing, so it takes no `unit` and no `inputs`."
    ),
    wrong="""\
---
params: { mode: { type: string } }
steps:
  - id: draft
  - id: choose
    route: { input: params.mode, when: [{ match: long, step: extend }], default: publish }
    unit: { timeout: 5m }
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
