"""Evidence of a kind that the step cannot give."""

from collections.abc import Iterator

from akm_specs.plan import EvidenceKind
from akmc.document import ApprovalStep, ChildStep, DeliverStep, GateStep, JudgeStep, Step, WaitStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View, has_process
from akmc.wording import listed


def check(view: View) -> Iterator[Finding]:
    """Kinds of evidence, by the kind of step."""
    for at, step in enumerate(view.workflow.steps):
        given = _given(step)
        for index, each in enumerate(step.evidence):
            if each.kind not in given:
                yield Finding(
                    ("steps", at, "evidence", index, "kind"),
                    f"step `{step.name}` leaves no evidence of kind `{each.kind}` behind",
                    f"ask for {listed(given)}" if given else "take the evidence out",
                )


def _given(step: Step) -> tuple[EvidenceKind, ...]:
    """The kinds of evidence that `step` can leave behind."""
    judged: tuple[EvidenceKind, ...] = ("gate",) if step.gate is not None else ()
    match step:
        case JudgeStep() | GateStep() if has_process(step):
            return ("receipt", "result", "artifact", "gate")
        case GateStep():
            return ("gate",)
        case ApprovalStep():
            return ("approval",)
        case WaitStep():
            return () if step.signal is None else ("receipt", "result")
        case DeliverStep():
            return ("receipt", "result")
        case ChildStep():
            return ("result", *judged)
        case _:
            return ("receipt", "result", "artifact", *judged) if has_process(step) else ()


RULE = Rule(
    code="AKM4017",
    title="A step gives no such evidence",
    explanation=(
        "`approval` is a person's decision, and only an approval step leaves one. `gate` is a verdict: of a gate, "
        "of a judge, or of a step's own `gate`. `receipt`, `result` and `artifact` come from processes; a "
        "delivery has receipts, a signal is a receipt and a result, and a child workflow is a result."
    ),
    wrong="""\
workflow release "Build" {
  step build: exec build {
    evidence signoff: approval
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build {
    evidence built: result
    on passed -> completed
  }
}
""",
    check=check,
)
