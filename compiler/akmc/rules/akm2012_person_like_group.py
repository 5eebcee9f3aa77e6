"""A person whose name is almost that of a group."""

from collections.abc import Iterator

from akmc.document import ApprovalStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import nearest


def check(view: View) -> Iterator[Finding]:
    """People in `by` who are in no group and whose name is near a group's."""
    people = {member for group in view.groups.values() for member in group.members}
    for at, step in enumerate(view.workflow.steps):
        for index, name in enumerate(step.by if isinstance(step, ApprovalStep) else ()):
            if name in view.groups or name in people:
                continue
            near = nearest(name, view.groups)
            if near is not None:
                yield Finding(
                    ("steps", at, "by", index),
                    f"step `{step.name}`: `{name}` is no group, so it is the name of a person",
                    f"did you mean the group `{near}`?",
                )


RULE = Rule(
    code="AKM2012",
    title="This person looks like a misspelt group",
    explanation=(
        "`by` takes people and groups, and a name that is no group is a person. A slip in a group's name "
        "would let nobody decide whom the group has."
    ),
    wrong="""\
workflow release "Sign off" {
  step approve: approval {
    by lead
    timeout 1d
    on passed   -> completed
    on rejected -> failed
    on expired  -> cancelled
  }
}
""",
    right="""\
workflow release "Sign off" {
  step approve: approval {
    by leads
    timeout 1d
    on passed   -> completed
    on rejected -> failed
    on expired  -> cancelled
  }
}
""",
    check=check,
    severity="warning",
)
