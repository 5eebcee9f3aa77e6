"""A gate that looks for a file outside of the workspace."""

from collections.abc import Iterator

from akmc.document import GateStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.written_path import leaves_workspace


def check(view: View) -> Iterator[Finding]:
    """Paths of `artifacts_exist` that are absolute, go upwards, or are empty."""
    for at, step in enumerate(view.workflow.steps):
        for index, path in enumerate(step.artifacts if isinstance(step, GateStep) else ()):
            if not path or leaves_workspace(path):
                message = f"gate `{step.name}` would look for `{path}`, which is no file in the workspace"
                yield Finding(("steps", at, "artifacts", index), message, "write a path such as `dist/notes.txt`")


RULE = Rule(
    code="AKM4026",
    title="A file lies outside of the workspace",
    explanation=(
        "`artifacts_exist` looks into the run's workspace. A path that is absolute, or that goes upwards, would "
        "ask about the machine that the run happens to be on."
    ),
    wrong="""\
workflow release "Look whether it is there" {
  step there: gate artifacts_exist ["../dist/notes.txt"] { on passed -> completed }
}
""",
    right="""\
workflow release "Look whether it is there" {
  step there: gate artifacts_exist ["dist/notes.txt"] { on passed -> completed }
}
""",
    check=check,
)
