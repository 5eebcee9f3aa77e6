"""A git worktree for work that writes nothing."""

from collections.abc import Iterator

from akmc.bounds import effect
from akmc.document import WorkStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """`isolation worktree` where all tools only read."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, WorkStep) or step.isolation != "worktree":
            continue
        tools = view.tools_of(step)
        if tools and all(effect(tool) == "read_only" for tool in tools):
            yield Finding(
                ("steps", at, "isolation"),
                f"step `{step.name}` has a worktree of its own, but its tool only reads",
                "take `isolation` out, or declare in the registry what the tool writes",
            )


RULE = Rule(
    code="AKM3024",
    title="There is nothing to isolate",
    explanation=(
        "`isolation worktree` keeps what a step writes apart from what others write. A tool of the class "
        "`read_only` writes nothing; one that does is declared wrongly."
    ),
    wrong="""\
workflow release "Check" {
  step check: gate check {
    isolation worktree
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build {
    isolation worktree
    on passed -> completed
  }
}
""",
    check=check,
    severity="warning",
)
