"""A parameter that is used and not declared."""

from akmc.markdown.findings import UNDECLARED
from akmc.rules.rule import MARKDOWN_REGISTRY, Rule

RULE = Rule(
    code=UNDECLARED,
    title="A parameter is not declared",
    explanation=(
        "The format lets a workflow use a parameter that it does not declare. It becomes one that has to be "
        "given, of whatever type its use asks for."
    ),
    wrong="""\
---
params: { files: { type: array } }
steps:
  - id: review
    map: { over: params.file }
---
## review
Read the file that you were given.
""",
    right="""\
---
params: { files: { type: array } }
steps:
  - id: review
    map: { over: params.files }
---
## review
Read the file that you were given.
""",
    registry=MARKDOWN_REGISTRY,
    severity="warning",
    language="markdown",
)
