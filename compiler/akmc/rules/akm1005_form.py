"""A document whose form is not the published one."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM1005",
    title="the document has not the right form",
    explanation=(
        "Every front end lowers to one document, whose JSON Schema `akmc schema document` prints. A "
        "member that is not in it, or has another type, is refused rather than ignored."
    ),
    wrong="""\
tool pytest { argv ["pytest"], env ["A B"] }
""",
    right="""\
tool pytest { argv ["pytest"], env [A_B] }
""",
)
