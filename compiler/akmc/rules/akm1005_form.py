"""A document whose form is not the published one."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM1005",
    title="The document has not the right form",
    explanation=(
        "Every front end lowers to one document, whose JSON Schema `akmc schema document` prints. A "
        "member that is not in it, or has another type, is refused rather than ignored."
    ),
    wrong="""\
{"schema": "akm.document.v1", "name": "pause", "title": "", "steps": [{"kind": "wait", "span": 1000}]}
""",
    right="""\
{"schema": "akm.document.v1", "name": "pause", "title": "", "steps": [
  {"kind": "wait", "name": "pause", "span_ms": 1000, "on": [{"outcome": "passed", "target": "completed"}]}
]}
""",
    language="json",
)
