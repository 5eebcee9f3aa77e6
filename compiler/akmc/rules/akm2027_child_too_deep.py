"""Workflows nested too deep in one another."""

from collections.abc import Iterator

from akm_specs.nesting import DEPTH_MAX
from akmc.children import faults
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Children that would be one level too deep."""
    for place, step, _ in faults(view.workflow, view.children, "too_deep"):
        message = f"step `{step.name}`: at most {DEPTH_MAX} workflows may be nested, and `{step.path}` is one more"
        yield Finding(place, message, "let an outer workflow run it")


RULE = Rule(
    code="AKM2027",
    title="Workflows are nested too deep",
    explanation=(
        f"At most {DEPTH_MAX} workflows may run inside one another, the outermost included. What needs more is "
        "easier to follow as a sequence."
    ),
    wrong="""\
$ akmc compile first.akm    # first runs second, second runs third, and so on to ninth.akm
""",
    right="""\
$ akmc compile first.akm    # first runs second, and then third
""",
    check=check,
    language="console",
)
