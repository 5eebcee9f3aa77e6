"""A route that some value would not leave."""

from collections.abc import Iterator

from akmc.document import RouteStep
from akmc.outcomes import OTHERWISE, branch_outcome
from akmc.references import text, value_of, values_of, walk
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import listed


def check(view: View) -> Iterator[Finding]:
    """Routes without `otherwise` whose branches leave a value of the type over."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, RouteStep) or any(branch.when in (None, OTHERWISE) for branch in step.branches):
            continue
        found = walk(view, value_of(step))
        values = () if found is None or found.followed < len(step.value.path) else values_of(found.type)
        taken = {branch_outcome(branch.when) for branch in step.branches}
        left = None if values is None else [value for value in map(branch_outcome, values) if value not in taken]
        if left or left is None:
            rest = f": {listed(left)}" if left else ""
            yield Finding(
                ("steps", at, "name"),
                f"route `{step.name}` has no branch for some values of `{text(step.value)}`{rest}",
                "add `otherwise -> STEP`",
            )


RULE = Rule(
    code="AKM2008",
    title="A route does not cover every value",
    explanation=(
        "A route needs a branch for whatever its value may be. Either its branches name every value that "
        "the type has, or an `otherwise` takes the rest."
    ),
    wrong="""\
workflow release "Build where asked" {
  param target: one of ["linux", "macos"]
  step choose: route params.target { when "linux" -> build }
  step build: exec build { on passed -> completed }
}
""",
    right="""\
workflow release "Build where asked" {
  param target: one of ["linux", "macos"]
  step choose: route params.target {
    when "linux" -> build
    otherwise    -> cancelled
  }
  step build: exec build { on passed -> completed }
}
""",
    check=check,
)
