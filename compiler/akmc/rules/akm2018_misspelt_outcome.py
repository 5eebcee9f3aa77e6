"""An outcome of one's own that is almost one of the language's."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from akmc.document import AgentStep, PanelStep
from akmc.outcomes import ENGINE_ONLY
from akmc.rules.rule import Finding, Rule
from akmc.view import View

_KNOWN = ("passed", "failed", "rejected", "completed", *ENGINE_ONLY)
#: How alike two words are when one letter is missing, doubled or another one; words such as `parsed` are less so.
_ALIKE = 0.9


def check(view: View) -> Iterator[Finding]:
    """Words of agents' and panels' lines."""
    for at, step in enumerate(view.workflow.steps):
        for index, line in enumerate(step.on if isinstance(step, AgentStep | PanelStep) else ()):
            meant = _meant(line.outcome.casefold().replace("-", "_"))
            if meant is not None and line.outcome != meant:
                yield Finding(
                    ("steps", at, "on", index, "outcome"),
                    f"step `{step.name}`: `{line.outcome}` is a word of its own, and looks like `{meant}`",
                    f"write `{meant}`, or a word that is less like it",
                )


def _meant(word: str) -> str | None:
    """The known outcome that `word` is a slip of, if it is one."""
    for known in _KNOWN:
        if sorted(word) == sorted(known) or SequenceMatcher(None, word, known).ratio() >= _ALIKE:
            return known
    return None


RULE = Rule(
    code="AKM2018",
    title="An outcome looks misspelt",
    explanation=(
        "An agent may answer with any word that its lines declare. A word that is nearly `passed` or `failed` "
        "would be one more of them, which the agent hardly ever answers with."
    ),
    wrong="""\
workflow fix "Mend it" {
  step mend: agent coder {
    prompt "Mend the code."
    on pased -> completed
  }
}
""",
    right="""\
workflow fix "Mend it" {
  step mend: agent coder {
    prompt "Mend the code."
    on passed -> completed
  }
}
""",
    check=check,
    severity="warning",
)
