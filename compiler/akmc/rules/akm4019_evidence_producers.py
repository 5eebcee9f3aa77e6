"""Evidence whose producers cannot be those that are wanted."""

from collections.abc import Iterator

from akmc.bounds import target
from akmc.document import Evidence, PanelStep, Step
from akmc.rules.rule import Finding, Rule
from akmc.view import View, agents_of
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """`by`, `producers` and `degraded` of evidence, beside one another and beside the step's agents."""
    for at, step in enumerate(view.workflow.steps):
        for index, each in enumerate(step.evidence):
            for member, what, meant in (*_alone(each), *_too_many(each, step)):
                message = f"step `{step.name}`: evidence `{each.name}` {what}"
                yield Finding(("steps", at, "evidence", index, member), message, meant)
            for position, name in enumerate(each.eligible):
                if name not in agents_of(step):
                    yield Finding(
                        ("steps", at, "evidence", index, "eligible", position),
                        f"step `{step.name}`: `{name}` does none of its work, so cannot produce `{each.name}`",
                        instead_of(name, agents_of(step), "agents"),
                    )


def _alone(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    if evidence.producers is not None and not evidence.eligible:
        yield "producers", "says how many producers it needs and not which", "add `by [AGENTS]`"
    if evidence.producers is None and evidence.eligible:
        yield "eligible", "says whose it may be and not of how many", "add `producers N`"
    if evidence.producers is None and evidence.degraded is not None:
        yield "degraded", "lowers a number of producers that it does not have", "add `producers N`"


def _too_many(evidence: Evidence, step: Step) -> Iterator[tuple[str, str, str]]:
    producers = evidence.producers
    if producers is None:
        return
    at_once = target(step.assign)["value"] if isinstance(step, PanelStep) and step.assign is not None else 1
    most = min(at_once, len(set(evidence.eligible)))
    if evidence.eligible and producers > most:
        yield "producers", f"needs {producers} producers, and {most} can be", f"write `producers {most}` or less"
    if evidence.degraded is not None and evidence.degraded > producers:
        yield "degraded", f"needs more producers where some refused: {evidence.degraded}", "write a smaller number"


RULE = Rule(
    code="AKM4019",
    title="Evidence wants producers that there cannot be",
    explanation=(
        "`by [AGENTS], producers N` wants the results of N of these agents, each `passed`; `degraded N` is how "
        "many are enough where some agent refused to work. So the agents are the step's own, and the numbers "
        "fall."
    ),
    wrong="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    prompt "Is the change sound?"
    evidence opinion: result { by [critic_a, critic_b], producers 3 }
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
    evidence opinion: result { by [critic_a, critic_b], producers 2, degraded 1 }
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
)
