"""A branch for the very text `otherwise`."""

from collections.abc import Iterator

from akmc.document import RouteStep
from akmc.outcomes import OTHERWISE
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Branches whose value is the text that names the branch for the rest."""
    for at, step in enumerate(view.workflow.steps):
        for index, branch in enumerate(step.branches if isinstance(step, RouteStep) else ()):
            if branch.when == OTHERWISE:
                yield Finding(
                    ("steps", at, "branches", index),
                    f"route `{step.name}`: a branch for the text `{OTHERWISE}` would take every other text too",
                    f"write `{OTHERWISE} -> {branch.target}`, if that is meant",
                )


RULE = Rule(
    code="AKM2013",
    title="A branch for a text would take every other one",
    explanation=(
        "A branch's outcome is the text of its value, and `otherwise` is the one that takes whatever is "
        "left. A branch for that text could not be told from it."
    ),
    wrong="""\
workflow release "Build where asked" {
  param target: string
  step choose: route params.target {
    when "linux"     -> build
    when "otherwise" -> cancelled
  }
  step build: exec build { on passed -> completed }
}
""",
    right="""\
workflow release "Build where asked" {
  param target: string
  step choose: route params.target {
    when "linux" -> build
    otherwise    -> cancelled
  }
  step build: exec build { on passed -> completed }
}
""",
    check=check,
)
