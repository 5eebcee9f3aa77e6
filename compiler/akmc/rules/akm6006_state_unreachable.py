"""AKM6006: a state cannot be reached."""

from collections.abc import Iterator

from akm_specs.lifecycle import Lifecycle
from akmc.reach import names_resolve, reached_from_initial
from akmc.rules.rule import Finding, Rule


def _check(table: Lifecycle) -> Iterator[Finding]:
    if not names_resolve(table):
        return
    reached = reached_from_initial(table)
    for at, state in enumerate(table["states"]):
        if state["name"] not in reached:
            message = f"no move leads from the initial state to `{state['name']}`"
            yield Finding(("states", at), message, "write a move that leads to it, or remove the state")


RULE = Rule(
    code="AKM6006",
    title="A state cannot be reached",
    explanation=("No sequence of moves leads from the initial state to it, so nothing will ever be in it."),
    wrong="""\
lifecycle parcel "A parcel on its way" {
  initial packed
  state   sent
  state   lost
  final   delivered

  send:    packed -> sent
  deliver: sent, lost -> delivered
}
""",
    right="""\
lifecycle parcel "A parcel on its way" {
  initial packed
  state   sent
  state   lost
  final   delivered

  send:    packed -> sent
  deliver: sent, lost -> delivered
  lose:    sent -> lost
}
""",
    check_lifecycle=_check,
)
