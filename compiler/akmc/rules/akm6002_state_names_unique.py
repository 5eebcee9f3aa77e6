"""AKM6002: two states have one name."""

from collections.abc import Iterator

from akm_specs.lifecycle import Lifecycle
from akmc.rules.rule import Finding, Rule


def _check(table: Lifecycle) -> Iterator[Finding]:
    seen: set[str] = set()
    for at, state in enumerate(table["states"]):
        if state["name"] in seen:
            yield Finding(("states", at), f"there are two states `{state['name']}`", "rename or remove one of them")
        seen.add(state["name"])


RULE = Rule(
    code="AKM6002",
    title="Two states have one name",
    explanation=("A state is known by its name, in events and in messages, for as long as any journal is kept."),
    wrong="""\
lifecycle parcel "A parcel on its way" {
  initial packed
  state   sent
  state   sent
  final   delivered

  send:    packed -> sent
  deliver: sent -> delivered
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
