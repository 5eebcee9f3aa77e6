"""A wait for somebody or something outside, without an end."""

from collections.abc import Iterator

from akmc.document import ApprovalStep, WaitStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Approvals and waits for a signal without `timeout`."""
    for at, step in enumerate(view.workflow.steps):
        signal = isinstance(step, WaitStep) and step.signal is not None
        if (signal or isinstance(step, ApprovalStep)) and step.timeout_ms is None:
            what = "a signal" if signal else "an approval"
            yield Finding(
                ("steps", at, "name"),
                f"step `{step.name}` waits for {what} without a `timeout`",
                "add one, such as `timeout 24h`",
            )


RULE = Rule(
    code="AKM3005",
    title="A wait has no timeout",
    explanation=(
        "Nothing says how long a person or a signal may take, so the author has to. A run that waits for "
        "ever is never an accident that a default should make."
    ),
    wrong="""\
workflow release "Wait for the window" {
  step open: wait signal window_open {
    on passed  -> completed
    on expired -> cancelled
  }
}
""",
    right="""\
workflow release "Wait for the window" {
  step open: wait signal window_open {
    timeout 2d
    on passed  -> completed
    on expired -> cancelled
  }
}
""",
    check=check,
)
