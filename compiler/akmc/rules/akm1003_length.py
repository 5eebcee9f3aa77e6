"""A name, a text or a list that is empty or too long."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM1003",
    title="Something is too long, or empty",
    explanation=(
        "Names become file names and stand in one line of a log; texts and lists are bounded so that a "
        "plan stays small. A list that has to say something must not be empty."
    ),
    wrong="""\
group managers []
""",
    right="""\
group managers [alice]
""",
)
