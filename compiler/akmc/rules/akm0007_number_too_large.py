"""AKM0007: a number cannot be represented exactly."""

from akmc.lower_words import NUMBER_TOO_LARGE
from akmc.rules.rule import Rule

RULE = Rule(
    code=NUMBER_TOO_LARGE,
    title="A number cannot be represented exactly",
    explanation=(
        "Plans are JSON, so a whole number is at most 9007199254740991 (2**53 - 1) and any other number is a "
        "finite double. An amount of money has at most six decimals."
    ),
    wrong="""\
workflow tidy "Checks the package" {
  step check: gate check {
    with { seed: 9007199254740993 }
    on passed -> completed
  }
}
""",
    right="""\
workflow tidy "Checks the package" {
  step check: gate check {
    with { seed: 9007199254740991 }
    on passed -> completed
  }
}
""",
)
