"""A tool that promises a receipt and has no way to ask for it."""

from collections.abc import Iterator

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Tools of the class receipt_queryable without a receipt."""
    for at, tool in enumerate(registry.tools):
        if tool.effect == "receipt_queryable" and tool.receipt is None:
            yield Finding(
                ("tools", at, "effect"),
                f"tool `{tool.name}` is `receipt_queryable`, but nothing says how to ask",
                "add `receipt [...]`, a command that tells whether the effect is there",
            )


RULE = Rule(
    code="AKM5004",
    title="A receipt query is missing",
    explanation=(
        "`receipt_queryable` says that after a lost outcome one can ask whether the effect is there. The "
        "question is a command of its own."
    ),
    wrong="""\
tool upload {
  argv ["upload"]
  effect receipt_queryable
}
""",
    right="""\
tool upload {
  argv ["upload"]
  effect receipt_queryable
  receipt ["uploaded"]
}
""",
    check_registry=check_registry,
)
