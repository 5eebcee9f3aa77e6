"""Two things of one kind with one name."""

from collections.abc import Iterator

from akmc.document import Place
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Names of parameters, of steps, and of the evidence of one step."""
    workflow = view.workflow
    yield from _repeated("parameter", ("params",), [param.name for param in workflow.params])
    yield from _repeated("step", ("steps",), [step.name for step in workflow.steps])
    for at, step in enumerate(workflow.steps):
        yield from _repeated("evidence", ("steps", at, "evidence"), [each.name for each in step.evidence])


def _repeated(kind: str, place: Place, names: list[str]) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        earlier = names[first.setdefault(name.casefold(), at)]
        if first[name.casefold()] != at:
            message = f"{kind} `{name}` is already there" + ("" if earlier == name else f", as `{earlier}`")
            yield Finding((*place, at, "name"), message, f"give one {kind} another name")


RULE = Rule(
    code="AKM2001",
    title="A name is used twice",
    explanation=(
        "A reference, a target and an id have to mean one thing. Names of steps may not differ in case "
        "alone either, since they become names of files."
    ),
    wrong="""\
workflow release "Build twice" {
  step build: exec build { on passed -> Build }
  step Build: exec build { on passed -> completed }
}
""",
    right="""\
workflow release "Build twice" {
  step build: exec build { on passed -> rebuild }
  step rebuild: exec build { on passed -> completed }
}
""",
    check=check,
)
