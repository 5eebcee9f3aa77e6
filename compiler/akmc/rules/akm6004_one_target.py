"""AKM6004: a trigger leads from one state to two."""

from collections.abc import Iterator

from akm_specs.lifecycle import Lifecycle
from akmc.rules.rule import Finding, Rule


def _check(table: Lifecycle) -> Iterator[Finding]:
    targets: dict[tuple[str, str], str] = {}
    for at, move in enumerate(table["moves"]):
        key = (move["trigger"], move["source"])
        if key in targets:
            message = f"`{move['trigger']}` leads from `{move['source']}` to `{targets[key]}` already"
            yield Finding(("moves", at), message, "remove one of the two moves, or name another trigger")
        targets.setdefault(key, move["target"])


RULE = Rule(
    code="AKM6004",
    title="A trigger leads from one state to two",
    explanation=(
        "What a trigger does in a state must be certain, so there is one target for each pair of the two. Stating "
        "the same move twice is refused too."
    ),
    wrong="""\
lifecycle parcel "A parcel on its way" {
  initial packed
  state   sent
  final   delivered

  send:    packed -> sent
  deliver: sent -> delivered
  deliver: sent -> packed
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
