"""A parameter that looks like a credential."""

from collections.abc import Iterator

from akmc.credentials import named_like_one
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Parameters whose name has a word for a secret in it."""
    for at, param in enumerate(view.workflow.params):
        if named_like_one(param.name):
            yield Finding(
                ("params", at, "name"),
                f"parameter `{param.name}` looks like a credential, and parameters are stored",
                "declare the variable by name in the tool's `env` instead",
            )


RULE = Rule(
    code="AKM4012",
    title="A parameter looks like a credential",
    explanation=(
        "Parameters are stored with the run and shown. A secret belongs into a tool's `env`: there the "
        "plan holds its name alone, and the value is given to that process and to nothing else."
    ),
    wrong="""\
workflow release "Build" {
  param api_token: string
  step build: exec build {
    with { token: params.api_token }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  param version: string
  step build: exec build {
    with { version: params.version }
    on passed -> completed
  }
}
""",
    check=check,
    severity="warning",
)
