"""A registry that holds what looks like a credential."""

from collections.abc import Iterator

from akmc.credentials import formed_like_one, given_like_one
from akmc.document import Place
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Arguments of tools and of their receipts, and remotes. The message never shows the text."""
    for place, subject, text in _texts(registry):
        if formed_like_one(text) or given_like_one(text):
            message = f"{subject} holds what looks like a credential, and plans are stored and shown"
            yield Finding(place, message, "take it out, change it where it is used, and name a variable in `env`")


def _texts(registry: Registry) -> Iterator[tuple[Place, str, str]]:
    for at, tool in enumerate(registry.tools):
        for member, argv in (("argv", tool.argv), ("receipt", tool.receipt or ())):
            for index, argument in enumerate(argv):
                yield ("tools", at, member, index), f"tool `{tool.name}`: argument {index}", argument
    for at, repository in enumerate(registry.repositories):
        yield ("repositories", at, "remote"), f"the remote of `{repository.name}`", repository.remote or ""


RULE = Rule(
    code="AKM5019",
    title="An argument looks like a credential",
    explanation=(
        "Arguments and remotes are copied into each plan, and whoever lists the machine's processes sees them. A "
        "secret reaches a tool by a variable that `env` names; of those only the name is stored."
    ),
    wrong="""\
tool upload { argv ["upload", "--token=correct-horse"] }
""",
    right="""\
tool upload { argv ["upload"], env [UPLOAD_TOKEN] }
""",
    check_registry=check_registry,
    severity="warning",
)
