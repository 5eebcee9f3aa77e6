"""AKM6005: a final state has an exit."""

from collections.abc import Iterator

from akm_specs.lifecycle import Lifecycle
from akmc.rules.rule import Finding, Rule


def _check(table: Lifecycle) -> Iterator[Finding]:
    finals = {state["name"] for state in table["states"] if state["kind"] == "final"}
    for at, move in enumerate(table["moves"]):
        if move["source"] in finals:
            message = f"`{move['trigger']}` leaves `{move['source']}`, which is final"
            yield Finding(("moves", at), message, f"remove the move, or make `{move['source']}` a `state`")


RULE = Rule(
    code="AKM6005",
    title="A final state has an exit",
    explanation=("What has ended stays as it is: nothing leads out of a final state."),
    wrong="""\
lifecycle parcel "A parcel on its way" {
  initial packed
  state   sent
  final   delivered

  send:    packed -> sent
  deliver: sent -> delivered
  return:  delivered -> sent
}
""",
    right="""\
lifecycle parcel "A parcel on its way" {
  initial packed
  state   sent
  final   delivered

  send:    packed -> sent
  deliver: sent -> delivered
}
""",
    check_lifecycle=_check,
)
