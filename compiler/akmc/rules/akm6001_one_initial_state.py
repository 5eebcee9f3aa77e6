"""AKM6001: a lifecycle needs exactly one initial state."""

from collections.abc import Iterator

from akm_specs.lifecycle import Lifecycle
from akmc.rules.rule import Finding, Rule


def _check(table: Lifecycle) -> Iterator[Finding]:
    initials = [at for at, state in enumerate(table["states"]) if state["kind"] == "initial"]
    if not initials:
        message = f"lifecycle `{table['name']}` has no initial state"
        yield Finding((), message, "write `initial` before the state in which it begins")
    for at in initials[1:]:
        first, name = table["states"][initials[0]]["name"], table["states"][at]["name"]
        yield Finding(("states", at), f"`{name}` is initial, and so is `{first}`", "make one of them a `state`")


RULE = Rule(
    code="AKM6001",
    title="A lifecycle needs exactly one initial state",
    explanation=("Everything that has a lifecycle begins in its initial state, so there must be one and only one."),
    wrong="""\
lifecycle parcel "A parcel on its way" {
  initial packed
  initial sent
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
