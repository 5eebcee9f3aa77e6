"""AKM6007: no way leads from a state to an end."""

from collections.abc import Iterator

from akm_specs.lifecycle import Lifecycle
from akmc.reach import names_resolve, reaching_final
from akmc.rules.rule import Finding, Rule


def _check(table: Lifecycle) -> Iterator[Finding]:
    if not names_resolve(table):
        return
    ending = reaching_final(table)
    for at, state in enumerate(table["states"]):
        if state["name"] not in ending:
            message = f"no move leads from `{state['name']}` to a final state, directly or over others"
            yield Finding(("states", at), message, "write a move that leads on, or make the state `final`")


RULE = Rule(
    code="AKM6007",
    title="No way leads from a state to an end",
    explanation=(
        "From every state some sequence of moves leads to a final state; otherwise what is in it could never end."
    ),
    wrong="""\
lifecycle parcel "A parcel on its way" {
  initial packed
  state   sent
  state   lost
  final   delivered

  send:    packed -> sent
  deliver: sent -> delivered
  lose:    sent -> lost
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
