"""AKM0006: something is said twice in one block."""

from akmc.lower_clauses import REPEATED
from akmc.rules.rule import Rule

RULE = Rule(
    code=REPEATED,
    title="Something is said twice in one block",
    explanation=(
        "A clause such as `attempts` or `timeout`, a key of an object, a field of a type and a value of `one of` "
        "may stand once in its block. Which of two was meant, nobody can know."
    ),
    wrong="""\
workflow tidy "Checks the package" {
  step check: gate check {
    timeout 10m
    timeout 5m
    on passed -> completed
  }
}
""",
    right="""\
workflow tidy "Checks the package" {
  step check: gate check {
    timeout 10m
    on passed -> completed
  }
}
""",
)
