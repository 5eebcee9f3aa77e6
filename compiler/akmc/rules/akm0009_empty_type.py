"""AKM0009: a type that no value has."""

from akmc.lower_types import EMPTY_TYPE
from akmc.rules.rule import Rule

RULE = Rule(
    code=EMPTY_TYPE,
    title="A type that no value has",
    explanation=(
        "A range of whole numbers begins with the smaller one, and `one of` names at least one value. Otherwise "
        "nothing could ever satisfy the type."
    ),
    wrong="""\
workflow tidy "Checks the package" {
  step check: gate check {
    output { passed: int 10..1 }
    on passed -> completed
  }
}
""",
    right="""\
workflow tidy "Checks the package" {
  step check: gate check {
    output { passed: int 1..10 }
    on passed -> completed
  }
}
""",
)
