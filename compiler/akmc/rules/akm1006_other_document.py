"""A file of one kind where another kind is needed."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM1006",
    title="This file holds another kind of document",
    explanation=(
        "A workflow is compiled beside a registry. Each of the two has its own file, and neither can "
        "stand for the other."
    ),
    wrong="""\
$ akmc compile release.akm --registry release.akm
""",
    right="""\
$ akmc compile release.akm --registry registry.akm
""",
    language="console",
)
