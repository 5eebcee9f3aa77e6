"""A clause without which the thing means nothing."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM1001",
    title="A clause is missing",
    explanation=("Some clauses have no sensible default: an agent without `tool` is nobody."),
    wrong="""\
tool claude { argv ["claude"] }
agent coder { model "deep" }
""",
    right="""\
tool claude { argv ["claude"] }
agent coder { tool claude, model "deep" }
""",
)
