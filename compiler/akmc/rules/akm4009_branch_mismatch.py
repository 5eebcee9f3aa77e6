"""A route over a value, or with a branch, that cannot be compared."""

from collections.abc import Iterator

from akmc.document import RouteStep
from akmc.references import ANY, text, value_of, walk
from akmc.rules.rule import Finding, Rule
from akmc.types import mismatch
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Routes over lists, objects and numbers with fractions; branches outside the value's type."""
    for at, step in enumerate(view.workflow.steps):
        found = walk(view, value_of(step)) if isinstance(step, RouteStep) else None
        if not isinstance(step, RouteStep) or found is None or found.followed < len(step.value.path):
            continue
        if found.type == ANY:
            continue
        if found.type.get("type") not in ("string", "integer", "boolean") and "enum" not in found.type:
            yield Finding(
                ("steps", at, "value"),
                f"route `{step.name}` cannot compare `{text(step.value)}`",
                "route over a string, an int, a boolean or a `one of`",
            )
            continue
        for index, branch in enumerate(step.branches):
            problem = None if branch.when is None else mismatch(found.type, branch.when)
            if problem is not None:
                yield Finding(
                    ("steps", at, "branches", index),
                    f"route `{step.name}`: `{text(step.value)}` is never this value: {problem}",
                    "change the branch, or take it out",
                )


RULE = Rule(
    code="AKM4009",
    title="A branch can never be taken",
    explanation=(
        "A route compares a text, a whole number or a truth value. A branch whose value the type does not "
        "have would never be taken."
    ),
    wrong="""\
workflow release "Build where asked" {
  param target: one of ["linux", "macos"]
  step choose: route params.target {
    when "windows" -> build
    otherwise      -> cancelled
  }
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
