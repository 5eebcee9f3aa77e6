"""An outcome that leads to no step."""

from collections.abc import Iterator

from akm_specs.plan import TERMINALS
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """Targets of outcomes and of branches."""
    known = dict.fromkeys((*view.steps, *TERMINALS))
    for line in view.flow.lines:
        if line.target not in known:
            yield Finding(
                (*line.place, "target"),
                f"step `{line.source}`: `{line.outcome}` leads to `{line.target}`, which is no step",
                instead_of(line.target, known, "targets"),
            )


RULE = Rule(
    code="AKM2003",
    title="A target is unknown",
    explanation=(
        "An outcome leads to a step of the same workflow, or to one of the terminals `completed`, "
        "`failed` and `cancelled`."
    ),
    wrong="""\
workflow release "Build and check" {
  step build: exec build { on passed -> chek }
  step check: gate check { on passed -> completed }
}
""",
    right="""\
workflow release "Build and check" {
  step build: exec build { on passed -> check }
  step check: gate check { on passed -> completed }
}
""",
    check=check,
)
