"""A property about which the search came to no end."""

from collections.abc import Iterator

from akmc.proof.answers import Proof
from akmc.proof.properties import property_text
from akmc.proof.search import STATES_MAX
from akmc.rules.rule import Finding, Rule


def check(proof: Proof) -> Iterator[Finding]:
    """Properties that are neither proved nor refuted."""
    for at, (stated, answer) in enumerate(proof.answers):
        if answer.verdict == "not_proved":
            yield Finding(
                ("properties", at),
                f"`{property_text(stated)}` is not proved: {answer.states} states were looked at, of at most "
                f"{STATES_MAX}, and there are more",
                "lower the `max` or the `attempts` on the ways to it, or take the property back",
            )


RULE = Rule(
    code="AKM3202",
    title="A property could not be proved",
    explanation=(
        "Most properties follow from the ways between steps alone. Where the budgets decide, every way to use "
        f"them up is followed, and at most {STATES_MAX} states are looked at. What is not proved is not accepted."
    ),
    wrong="""\
workflow release "Check until it passes" {
  limits { transitions 400 }
  step try: exec check {
    attempts 100
    exit 3 -> slow
    exit 4 -> busy
    exit 5 -> shaky
    exit 6 -> stale
    on passed -> completed
    on slow   -> try max 30
    on busy   -> try max 30
    on shaky  -> try max 30
    on stale  -> try max 30
  }

  require try at most 99
}
""",
    right="""\
workflow release "Check until it passes" {
  limits { transitions 400 }
  step try: exec check {
    attempts 99
    exit 3 -> slow
    exit 4 -> busy
    exit 5 -> shaky
    exit 6 -> stale
    on passed -> completed
    on slow   -> try max 30
    on busy   -> try max 30
    on shaky  -> try max 30
    on stale  -> try max 30
  }

  require try at most 99
}
""",
    check_proof=check,
)
