"""A clause that does nothing in a tool of this form."""

from collections.abc import Iterator

from akmc.registry import Registry, Tool
from akmc.rules.rule import Finding, Rule

_WORDS = {"rejects": "reject"}


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Clauses that a Python function or a session has no use for."""
    for at, tool in enumerate(registry.tools):
        for members, form in _unused(tool):
            for member in members:
                if getattr(tool, member):
                    message = f"tool `{tool.name}`: `{_WORDS.get(member, member)}` does nothing in {form}"
                    yield Finding(("tools", at, member), message, "take the clause out")


def _unused(tool: Tool) -> Iterator[tuple[tuple[str, ...], str]]:
    if tool.python is not None:
        yield ("session", "rejects"), "a Python function, which is no process of its own and has no exit code"
    elif tool.session:
        yield ("receipt",), "a session, which answers for itself as long as it lives"


RULE = Rule(
    code="AKM5012",
    title="A clause does nothing in this tool",
    explanation=(
        "A `session` is one process that answers many requests, and no command asks what became of one of them. A "
        "Python function is no session, and no process whose exit code could refuse to work."
    ),
    wrong="""\
tool model {
  argv ["model", "--serve"]
  session
  effect external_idempotent
  receipt ["model", "--asked"]
}
""",
    right="""\
tool model {
  argv ["model", "--serve"]
  session
  effect external_idempotent
}
""",
    check_registry=check_registry,
)
