"""A session that is to work in a worktree."""

from collections.abc import Iterator

from akmc.document import WorkStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Isolated steps whose work a session does."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, WorkStep) or step.isolation != "worktree":
            continue
        session = next((tool.name for tool in view.tools_of(step) if tool.session), None)
        if session is not None:
            message = f"step `{step.name}` works in a worktree, and the session of tool `{session}` does not"
            help_text = "take `isolation worktree` out, or use a tool that is started for each attempt"
            yield Finding(("steps", at, "isolation"), message, help_text)


RULE = Rule(
    code="AKM2032",
    title="A session does not work in a worktree",
    explanation=(
        "Each attempt of an isolated step has a worktree of its own. A session is one process for many attempts: "
        "it stays in the directory in which it was started, and would change what isolation is to protect."
    ),
    wrong="""\
workflow mend "Mend the pages" {
  step mend: agent writer { prompt "Mend the pages.", isolation worktree, on passed -> completed }
}
""",
    right="""\
workflow mend "Mend the pages" {
  step mend: agent writer { prompt "Mend the pages.", on passed -> completed }
}
""",
    registry="""\
tool model { argv ["model", "--serve"], session }
agent writer { tool model }
""",
    check=check,
)
