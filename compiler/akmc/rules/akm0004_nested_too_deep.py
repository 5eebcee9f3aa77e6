"""AKM0004: values or types are nested too deeply."""

from akmc.rules.rule import Rule
from akmc.syntax_findings import NESTED_TOO_DEEP

RULE = Rule(
    code=NESTED_TOO_DEEP,
    title="Values or types are nested too deeply",
    explanation=("Brackets, and `list of`, may be nested 64 levels deep. Deeper data belongs in a file."),
    wrong="""\
workflow tidy "Checks the package" {
  step check: gate check {
    with { rows: [
      [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
      [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
      ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
      ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
    ] }
    on passed -> completed
  }
}
""",
    right="""\
workflow tidy "Checks the package" {
  step check: gate check {
    with { rows: [] }
    on passed -> completed
  }
}
""",
)
