"""Keys that do not go together."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.document import Place
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """Keys that stand where another key, or its value, has no use for them."""
    for at, step in enumerate(workflow.steps):
        if step.expect is not None and step.kind != "gate":
            yield _apart(("steps", at, "expect"), step.id, "expect", f"kind: {step.kind}")
        for outcome, line in step.on.items():
            if line.target != "$terminal" and line.terminalStatus is not None:
                place: Place = ("steps", at, "on", outcome, "terminalStatus")
                yield _apart(place, step.id, "terminalStatus", f"target: {line.target}")
        for index, evidence in enumerate(step.requiredEvidence):
            if evidence.producerPolicy is not None and evidence.kind != "assignment-result":
                place = ("steps", at, "requiredEvidence", index, "producerPolicy")
                yield _apart(place, step.id, "producerPolicy", f"kind: {evidence.kind}")
        if step.model is not None and set(vars(step.model)) not in _SELECTORS:
            message = f"step `{step.id}`: `model` chooses in no way, or in two"
            yield Finding(("steps", at, "model"), message, "write `profile`, `tag`, or `provider` and `model`")
        if step.tools is not None and not vars(step.tools):
            message = f"step `{step.id}`: `tools` says nothing"
            yield Finding(("steps", at, "tools"), message, "remove it, or write what it allows")


_SELECTORS = ({"profile"}, {"tag"}, {"tag", "capabilities"}, {"provider", "model"})


def _apart(place: Place, step: str, key: str, beside: str) -> Finding:
    return Finding(place, f"step `{step}`: `{key}` means nothing beside `{beside}`", f"remove `{key}`")


RULE = Rule(
    code="AKM7102",
    title="Two keys do not go together",
    explanation=(
        "`expect` belongs to a gate, `terminalStatus` to a way that ends the run, `producerPolicy` to "
        "evidence of kind `assignment-result`. A `model` is chosen in one way: by `profile`, by `tag`, or by "
        "`provider` and `model`. `tools` says something."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: agent
    agent: coder
    expect: fail
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
