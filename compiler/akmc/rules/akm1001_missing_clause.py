"""A clause without which the thing means nothing."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM1001",
    title="A clause is missing",
    explanation=(
        "Some clauses have no sensible default: a tool without `argv` runs nothing, an agent without "
        "`tool` is nobody."
    ),
    wrong="""\
tool pytest { effect read_only }
""",
    right="""\
tool pytest { argv ["pytest"], effect read_only }
""",
)
