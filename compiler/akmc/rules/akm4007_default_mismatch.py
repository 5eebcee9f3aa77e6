"""A parameter's default that is no value of its type."""

from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.types import mismatch
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Defaults that their own type refuses."""
    for at, param in enumerate(view.workflow.params):
        problem = mismatch(param.type, param.default) if param.has_default else None
        if problem is not None:
            yield Finding(
                ("params", at, "default"),
                f"the default of parameter `{param.name}` does not fit its type: {problem}",
                "change the default or the type",
            )


RULE = Rule(
    code="AKM4007",
    title="A default does not fit its type",
    explanation=("A default is checked like a value that somebody gives when a run starts."),
    wrong=r"""workflow release "Build" {
  param version: string matching "^\d+\.\d+$" = "latest"
  step build: exec build {
    with { version: params.version }
    on passed -> completed
  }
}
""",
    right=r"""workflow release "Build" {
  param version: string matching "^\d+\.\d+$" = "1.0"
  step build: exec build {
    with { version: params.version }
    on passed -> completed
  }
}
""",
    check=check,
)
