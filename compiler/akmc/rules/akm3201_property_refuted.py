"""A property that some run breaks."""

from collections.abc import Iterator

from akmc.proof.answers import Proof
from akmc.proof.properties import broken_text, property_text
from akmc.proof.traces import trace_of, trace_text
from akmc.rules.rule import Finding, Rule


def check(proof: Proof) -> Iterator[Finding]:
    """Refuted properties, each with a shortest run that breaks it."""
    for at, (stated, answer) in enumerate(proof.answers):
        if answer.verdict == "refuted":
            trace = trace_text(trace_of(proof.model, answer.trace))
            yield Finding(
                ("properties", at),
                f"`{property_text(stated)}` does not hold: {trace}, and {broken_text(stated)}",
                "lead an outcome on this way elsewhere, or take the property back; `akmc verify` draws the run",
            )


RULE = Rule(
    code="AKM3201",
    title="A property does not hold",
    explanation=(
        "What a workflow requires is proved over every run that its budgets allow, whatever its steps come to. "
        "The message shows a shortest run that breaks it: each step with its outcome, and where that leads."
    ),
    wrong="""\
workflow release "Check and publish" {
  step check: gate check {
    on passed -> publish
    on failed -> publish
  }
  step publish: exec upload { on passed -> completed }

  require check before publish
}
""",
    right="""\
workflow release "Check and publish" {
  step check: gate check {
    on passed -> publish
    on failed -> failed
  }
  step publish: exec upload { on passed -> completed }

  require check before publish
}
""",
    check_proof=check,
)
