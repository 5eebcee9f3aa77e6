"""A constant that looks like a credential."""

from collections.abc import Iterator

from akm_specs.canonical import Json
from akmc.credentials import formed_like_one, named_like_one
from akmc.document import ListValue, LiteralValue, ObjectValue, Place, Step, Value
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Defaults, values of `with`, prompts and rubrics. The message never shows the text."""
    workflow = view.workflow
    for at, param in enumerate(workflow.params):
        yield from _constant(param.default, ("params", at, "default"), f"parameter `{param.name}`", "")
    for at, step in enumerate(workflow.steps):
        here, subject = ("steps", at), f"step `{step.name}`"
        given = getattr(step, "input", None)
        if given is not None:
            yield from _value(given, (*here, "input"), subject, "")
        for member, text in _texts(step):
            yield from _constant(text, (*here, *member), subject, "")


def _texts(step: Step) -> Iterator[tuple[Place, str | None]]:
    yield ("prompt",), getattr(step, "prompt", None)
    yield ("rubric",), getattr(step, "rubric", None)
    yield ("gate", "rubric"), None if step.gate is None else step.gate.rubric


def _value(value: Value, place: Place, subject: str, name: str) -> Iterator[Finding]:
    match value:
        case LiteralValue():
            yield from _constant(value.literal, place, subject, name)
        case ObjectValue():
            for key, member in value.members.items():
                yield from _value(member, (*place, "members", key), subject, key)
        case ListValue():
            for at, item in enumerate(value.items):
                yield from _value(item, (*place, "items", at), subject, name)
        case _:
            pass


def _constant(constant: Json, place: Place, subject: str, name: str) -> Iterator[Finding]:
    match constant:
        case dict():
            for key, member in constant.items():
                yield from _constant(member, place, subject, key)
        case list():
            for item in constant:
                yield from _constant(item, place, subject, name)
        case str() if constant and (named_like_one(name) or formed_like_one(constant)):
            what = f"the text of `{name}`" if name else "a text in it"
            message = f"{subject}: {what} looks like a credential, and plans are stored and shown"
            yield Finding(place, message, "take it out, change it where it is used, and name a variable in `env`")
        case _:
            pass


RULE = Rule(
    code="AKM4024",
    title="A constant looks like a credential",
    explanation=(
        "What stands in a source stands in its plan, in every journal, and in the history of the repository. A "
        "text that is called like a secret, or has the form of a key, belongs into the environment of the tool."
    ),
    wrong="""\
workflow release "Build" {
  step build: exec build {
    with { password: "correct horse" }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build {
    with { user: "builder" }
    on passed -> completed
  }
}
""",
    check=check,
    severity="warning",
)
