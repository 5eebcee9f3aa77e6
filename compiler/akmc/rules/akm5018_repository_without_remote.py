"""A delivery to a repository that lies nowhere else."""

from collections.abc import Iterator

from akmc.document import DeliverStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Delivered repositories without `remote`."""
    for at, step in enumerate(view.workflow.steps):
        for index, name in enumerate(step.repositories if isinstance(step, DeliverStep) else ()):
            repository = view.repositories.get(name)
            if repository is not None and not repository.remote:
                message = f"step `{step.name}` delivers `{name}`, of which the registry names no `remote`"
                yield Finding(("steps", at, "repositories", index), message, 'add `remote "URL"` to the repository')


RULE = Rule(
    code="AKM5018",
    title="A repository has no remote",
    explanation=(
        "A delivery pushes commits to where a repository's `remote` says. A repository that is only read or "
        "written in the workspace needs none."
    ),
    wrong="""\
workflow release "Deliver the site" {
  step deliver: deliver [site] {
    on passed  -> completed
    on partial -> failed
  }
}
""",
    right="""\
workflow release "Deliver the pages" {
  step deliver: deliver [pages] {
    on passed  -> completed
    on partial -> failed
  }
}
""",
    registry="""\
repository site { directory "site" }
repository pages { directory "pages", remote "git@example.org:pages.git" }
""",
    check=check,
)
