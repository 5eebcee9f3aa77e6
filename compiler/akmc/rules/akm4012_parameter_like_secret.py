"""A parameter that looks like a credential."""

import re
from collections.abc import Iterator
from itertools import pairwise

from akmc.rules.rule import Finding, Rule
from akmc.view import View

_WORDS = frozenset({"password", "passwd", "passphrase", "secret", "token", "credential", "credentials", "apikey"})
_PAIRS = frozenset({("api", "key"), ("private", "key"), ("access", "key")})


def check(view: View) -> Iterator[Finding]:
    """Parameters whose name has a word for a secret in it."""
    for at, param in enumerate(view.workflow.params):
        words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", param.name)
        words = [word.lower() for word in words]
        if _WORDS.intersection(words) or _PAIRS.intersection(pairwise(words)):
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
