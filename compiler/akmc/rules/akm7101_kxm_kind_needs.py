"""A key that another one needs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.document import Place
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


_OF_KIND = {"agent": "agent", "moa": "agent", "gate": "gate", "wait": "signal"}


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """Keys that are absent though another key, or its value, cannot do without them."""
    if workflow.requirePlanHash and workflow.planHash is None:
        yield _missing(("requirePlanHash",), "planHash", "requirePlanHash", "")
    for at, step in enumerate(workflow.steps):
        needed = _OF_KIND.get(step.kind)
        if needed is not None and getattr(step, needed) is None:
            yield _missing(("steps", at), needed, f"kind: {step.kind}", step.id)
        for outcome, line in step.on.items():
            if line.target == "$terminal" and line.terminalStatus is None:
                yield _missing(("steps", at, "on", outcome), "terminalStatus", "target: $terminal", step.id)


def _missing(place: Place, key: str, beside: str, step: str) -> Finding:
    subject = f"step `{step}`: " if step else ""
    return Finding(place, f"{subject}`{beside}` needs `{key}`", f"add `{key}`")


RULE = Rule(
    code="AKM7101",
    title="A key is missing beside another one",
    explanation=(
        "An `agent` or `moa` step needs `agent`, a `gate` step `gate` and a `wait` step `signal`. `$terminal` "
        "needs `terminalStatus`, and `requirePlanHash` needs `planHash`."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: agent
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: agent
    agent: coder
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    check_kxm=check,
    language="yaml",
)
