"""An oracle or a plan hash that names nothing."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from akmc.document import Place
from akmc.registry import Registry
from akmc.rules.rule import EXAMPLE_REGISTRY, Finding, Rule
from akmc.wording import instead_of

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """Stages and evidence that the steps do not have."""
    evidence = {step.id: [each.key for each in step.requiredEvidence] for step in workflow.steps}
    for key, oracle in (("reproOracle", workflow.reproOracle), ("planHash", workflow.planHash)):
        if oracle is None:
            continue
        if oracle.stageId not in evidence:
            yield _unknown(
                (key, "stageId"), f"no step is called `{oracle.stageId}`", oracle.stageId, evidence, "steps"
            )
        elif oracle.evidenceKey not in evidence[oracle.stageId]:
            message = f"step `{oracle.stageId}` requires no evidence `{oracle.evidenceKey}`"
            known = evidence[oracle.stageId]
            yield _unknown((key, "evidenceKey"), message, oracle.evidenceKey, known, "evidence")
    for index, name in enumerate(workflow.requirePlanHash):
        if name not in evidence:
            yield _unknown(("requirePlanHash", index), f"no step is called `{name}`", name, evidence, "steps")


def _unknown(place: Place, message: str, name: str, known: Iterable[str], what: str) -> Finding:
    return Finding(place, message, instead_of(name, known, what))


_REGISTRY = (
    EXAMPLE_REGISTRY
    + """\
agent writer { tool model, scope { write [app] } }
repository app { directory "." }
"""
)

RULE = Rule(
    code="AKM7108",
    title="There is no such stage or evidence",
    explanation=(
        "`planHash` and `reproOracle` fix an evidence that one step requires, and `requirePlanHash` lists steps."
    ),
    wrong="""\
schema: kxm.workflow.v1
planHash: { stageId: design, evidenceKey: outline }
steps:
  - id: plan
    kind: agent
    agent: coder
    requiredEvidence: [{ key: outline, kind: artifact }]
    on: { passed: work }
  - id: work
    kind: agent
    agent: writer
    repositories: { app: read }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
planHash: { stageId: plan, evidenceKey: outline }
steps:
  - id: plan
    kind: agent
    agent: coder
    requiredEvidence: [{ key: outline, kind: artifact }]
    on: { passed: work }
  - id: work
    kind: agent
    agent: writer
    repositories: { app: read }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    check_kxm=check,
    registry=_REGISTRY,
    language="yaml",
)
