"""AKM6003: a move names a state that does not exist."""

from collections.abc import Iterator

from akm_specs.lifecycle import Lifecycle
from akmc.document import Place
from akmc.rules.rule import Finding, Rule
from akmc.wording import instead_of


def _check(table: Lifecycle) -> Iterator[Finding]:
    names = [state["name"] for state in table["states"]]
    for at, move in enumerate(table["moves"]):
        if move["source"] not in names:
            yield _unknown(("moves", at), move["source"], names)
        if move["target"] not in names:
            yield _unknown(("moves", at, "target"), move["target"], names)


def _unknown(place: Place, name: str, names: list[str]) -> Finding:
    return Finding(place, f"there is no state `{name}`", instead_of(name, names, "states"))


RULE = Rule(
    code="AKM6003",
    title="A move names a state that does not exist",
    explanation=("Both ends of a move are states that the lifecycle declares with `initial`, `state` or `final`."),
    wrong="""\
lifecycle parcel "A parcel on its way" {
  initial packed
  state   sent
  final   delivered

  send:    packed -> sentt
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
