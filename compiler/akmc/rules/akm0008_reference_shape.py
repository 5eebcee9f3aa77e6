"""AKM0008: a reference names neither a parameter nor an output."""

from akmc.lower_values import REFERENCE_SHAPE
from akmc.rules.rule import Rule

RULE = Rule(
    code=REFERENCE_SHAPE,
    title="A reference names neither a parameter nor an output",
    explanation=(
        "A reference is `params.NAME` or `STEP.output`, with `.field` and `[index]` behind it. A bare word is no "
        "text: a text stands in double quotes."
    ),
    wrong="""\
workflow tidy "Checks the package" {
  step check: gate check {
    with { level: strict }
    on passed -> completed
  }
}
""",
    right="""\
workflow tidy "Checks the package" {
  step check: gate check {
    with { level: "strict" }
    on passed -> completed
  }
}
""",
)
