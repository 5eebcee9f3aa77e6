"""A number that lies outside what its clause allows."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM1002",
    title="A number is out of its range",
    explanation=(
        "Every count and every span of time has a least and a largest value. A larger one is a slip "
        "rather than a choice, and a run could never live up to it."
    ),
    wrong="""\
workflow release "Build" {
  step build: exec build {
    attempts 1000
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build {
    attempts 10
    on passed -> completed
  }
}
""",
)
