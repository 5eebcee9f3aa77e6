"""A list that names one thing twice."""

from collections.abc import Iterator

from akm_specs.node import Node
from akmc.document import Place, Reference
from akmc.references import text
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Lists of names, of words, of paths and of references, in every step."""
    for at, step in enumerate(view.workflow.steps):
        yield from _repeated(step, ("steps", at), f"step `{step.name}`")


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Lists of agents' scopes. What stands twice in an argv may be meant."""
    for at, agent in enumerate(registry.agents):
        yield from _repeated(agent, ("agents", at), f"agent `{agent.name}`")


def _repeated(node: Node, place: Place, subject: str) -> Iterator[Finding]:
    for member, found in vars(node).items():
        if isinstance(found, Node) and not isinstance(found, Reference):
            yield from _repeated(found, (*place, member), subject)
        elif isinstance(found, tuple):
            yield from _in_list(found, (*place, member), subject)


def _in_list(entries: tuple[object, ...], place: Place, subject: str) -> Iterator[Finding]:
    seen: set[object] = set()
    for index, each in enumerate(entries):
        if isinstance(each, Node) and not isinstance(each, Reference):
            yield from _repeated(each, (*place, index), subject)
            continue
        shown = text(each) if isinstance(each, Reference) else each
        if shown in seen:
            yield Finding((*place, index), f"{subject} names `{shown}` twice", "keep one")
        seen.add(shown)


RULE = Rule(
    code="AKM2022",
    title="A list names one thing twice",
    explanation=(
        "Who decides, what is read, which repositories are delivered, which agents may answer: once is enough, "
        "and a second time stands where another name was meant. A pool in which an agent stood twice would "
        "count one opinion as two."
    ),
    wrong="""\
workflow release "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_a]
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    right="""\
workflow release "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
    check_registry=check_registry,
)
