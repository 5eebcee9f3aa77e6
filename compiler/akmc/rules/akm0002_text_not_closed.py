"""AKM0002: a text has no closing quotes."""

from akmc.rules.rule import Rule
from akmc.syntax_findings import TEXT_NOT_CLOSED

RULE = Rule(
    code=TEXT_NOT_CLOSED,
    title="A text has no closing quotes",
    explanation=(
        "A text in double quotes ends on the line on which it begins. A text of several lines stands between "
        "two triple quotes. Inside double quotes a backslash makes a double quote or a backslash part of the text."
    ),
    wrong="""\
workflow tidy "Checks the package {
  step check: gate check {
    timeout 10m
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
