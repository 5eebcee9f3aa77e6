"""A word that is none of those a clause knows."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM1004",
    title="A clause does not know this word",
    explanation=("Effect classes, retry reasons, kinds of evidence and expectations are fixed lists of words."),
    wrong="""\
tool pytest { argv ["pytest"], effect readonly }
""",
    right="""\
tool pytest { argv ["pytest"], effect read_only }
""",
)
