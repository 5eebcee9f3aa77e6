"""Evidence of which there can never be enough."""

from collections.abc import Iterator

from akmc.bounds import items, target
from akmc.document import DeliverStep, Evidence, MapStep, PanelStep, Step
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """`min` above what one attempt of the step can leave behind."""
    for at, step in enumerate(view.workflow.steps):
        for index, each in enumerate(step.evidence):
            most = _most(step, each, view)
            if each.minimum is not None and each.minimum > most:
                yield Finding(
                    ("steps", at, "evidence", index, "minimum"),
                    f"step `{step.name}` can leave {most} of `{each.name}` behind, never {each.minimum}",
                    f"write `min {most}` or less",
                )


def _most(step: Step, evidence: Evidence, view: View) -> int:
    """How many pieces of `evidence` there can be: one of each assignment that is done."""
    match step:
        case _ if evidence.kind == "gate":
            return 1
        case PanelStep() if step.assign is not None:
            return target(step.assign)["value"]
        case MapStep():
            return items(step, view)["value"]
        case DeliverStep():
            return len(step.repositories)
        case _:
            return 1


RULE = Rule(
    code="AKM4018",
    title="There can never be so much evidence",
    explanation=(
        "Each assignment that is done leaves one piece of evidence behind: one of most steps, as many as are "
        "assigned at once of a panel, one of each item of a map and of each repository of a delivery."
    ),
    wrong="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    prompt "Is the change sound?"
    evidence opinion: result { min 3 }
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    right="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    prompt "Is the change sound?"
    evidence opinion: result { min 2 }
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
)
