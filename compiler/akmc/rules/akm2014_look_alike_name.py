"""Two names that a reader takes for one."""

from collections.abc import Iterable, Iterator

from akmc.document import Place
from akmc.rules.rule import Finding, Rule
from akmc.view import View

#: Characters that many typefaces draw alike, each as the one that stands for them all.
_ALIKE = str.maketrans({"1": "l", "I": "l", "0": "O", "_": "-"})


def check(view: View) -> Iterator[Finding]:
    """Names of steps and of parameters. Names that are equal but for case are another rule's."""
    workflow = view.workflow
    yield from _alike("step", ("steps",), (step.name for step in workflow.steps))
    yield from _alike("parameter", ("params",), (param.name for param in workflow.params))


def _alike(kind: str, place: Place, names: Iterable[str]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for at, name in enumerate(names):
        earlier = first.setdefault(name.translate(_ALIKE).casefold(), name)
        if earlier.casefold() != name.casefold():
            message = f"{kind} `{name}` looks like {kind} `{earlier}`"
            yield Finding((*place, at, "name"), message, f"give one {kind} a name of other words")


RULE = Rule(
    code="AKM2014",
    title="Two names look alike",
    explanation=(
        "Names that differ only in `-` and `_`, in `0` and `O`, or in `1`, `l` and `I` are read as one, and one "
        "is written where the other is meant."
    ),
    wrong="""\
workflow release "Build in two ways" {
  step build-all: exec build { on passed -> build_all }
  step build_all: exec build { on passed -> completed }
}
""",
    right="""\
workflow release "Build in two ways" {
  step build-fast: exec build { on passed -> build-all }
  step build-all: exec build { on passed -> completed }
}
""",
    check=check,
    severity="warning",
)
