"""AKM0001: something stands where the language wants something else."""

from akmc.rules.rule import Rule
from akmc.syntax_findings import UNEXPECTED

RULE = Rule(
    code=UNEXPECTED,
    title="Something stands where the language wants something else",
    explanation=(
        "The language has few words, and each block takes only some of them. The message names what could stand "
        "at the place, or what was probably meant. A misspelt keyword is read as meant, and after any other slip "
        "reading goes on with the next clause, so that one run reports them all."
    ),
    wrong="""\
workflow tidy "Checks the package" {
  step check: gate check {
    timout 10m
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
