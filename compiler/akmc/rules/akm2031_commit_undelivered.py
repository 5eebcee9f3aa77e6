"""A commit for a repository that is not delivered."""

from collections.abc import Iterator

from akmc.document import DeliverStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """Members of a delivery's `with` that are none of its repositories."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, DeliverStep) or step.input is None:
            continue
        for name in step.input.members:
            if name not in step.repositories:
                yield Finding(
                    ("steps", at, "input", "members", name),
                    f"step `{step.name}` gives a commit for `{name}`, which it does not deliver",
                    instead_of(name, step.repositories, "repositories"),
                )


RULE = Rule(
    code="AKM2031",
    title="A commit is for a repository that is not delivered",
    explanation=(
        "`with` of a `deliver` gives the exact commit of some of the repositories that the step delivers."
    ),
    wrong="""\
workflow release "Deliver the site" {
  param commit: string
  step deliver: deliver [site] {
    with { siet: params.commit }
    on passed  -> completed
    on partial -> failed
  }
}
""",
    right="""\
workflow release "Deliver the site" {
  param commit: string
  step deliver: deliver [site] {
    with { site: params.commit }
    on passed  -> completed
    on partial -> failed
  }
}
""",
    check=check,
)
