"""Settings of a model that a request has by itself, or that would be a secret."""

from akmc.markdown.findings import BAD_EXTRA
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=BAD_EXTRA,
    title="A setting cannot stand among the extra ones",
    explanation=(
        "`extra_params` holds what only one provider knows. What every request has, its own keys say, and a "
        "secret is read from the environment, never from a file that is committed."
    ),
    wrong="""\
---
defaults:
  llm: { temperature: 0.5, extra_params: { Max-Tokens: 100 } }
steps:
  - id: draft
    unit: { timeout: none }
---
## draft
Write the notes.
""",
    right="""\
---
steps:
  - id: draft
    unit: { timeout: none }
---
## draft
Write the notes.
""",
    registry=MARKDOWN_REGISTRY,
    language="markdown",
)
