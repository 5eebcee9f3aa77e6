"""An exit code that refuses for two reasons."""

from collections.abc import Iterator

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Exit codes of `reject` lines."""
    for at, tool in enumerate(registry.tools):
        codes = [each.exit for each in tool.rejects]
        for index, code in enumerate(codes):
            if code in codes[:index]:
                message = f"tool `{tool.name}`: exit code {code} already has a meaning"
                yield Finding(("tools", at, "rejects", index), message, "keep one of the two lines")


RULE = Rule(
    code="AKM5013",
    title="An exit code has two meanings",
    explanation=(
        "`reject N -> CODE` says why a tool refuses to work when it ends with N. One number has one reason."
    ),
    wrong="""\
tool model {
  argv ["model"]
  reject 3 -> rate_limited
  reject 3 -> not_logged_in
}
""",
    right="""\
tool model {
  argv ["model"]
  reject 3 -> rate_limited
  reject 4 -> not_logged_in
}
""",
    check_registry=check_registry,
)
