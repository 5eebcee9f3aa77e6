"""AKM0005: reading stopped before the end."""

from akmc.rules.rule import Rule
from akmc.syntax_findings import READING_STOPPED

RULE = Rule(
    code=READING_STOPPED,
    title="Reading stopped before the end",
    explanation=(
        "A source with a hundred syntax errors, or with a hundred thousand words, is not read to its end. "
        "Mend the first errors and compile again, or move the data that makes it long to a file."
    ),
    wrong="""\
akmc compile poem.akm    # a text that is no source at all
""",
    right="""\
akmc compile release.akm
""",
    language="console",
)
