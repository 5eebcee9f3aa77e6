"""Settings of a model that a request has by itself, or that would be a secret."""

from akmc.markdown.findings import BAD_EXTRA
from akmc.rules.rule import EXAMPLE_REGISTRY, Rule

_REGISTRY = EXAMPLE_REGISTRY + "defaults { agent coder, judge coder }\n"

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
    registry=_REGISTRY,
    language="markdown",
)
