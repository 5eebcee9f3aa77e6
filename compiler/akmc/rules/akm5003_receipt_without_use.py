"""A receipt query that recovery would never ask."""

from collections.abc import Iterator

from akmc.bounds import effect
from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Receipts of tools of other classes."""
    for at, tool in enumerate(registry.tools):
        if tool.receipt is not None and effect(tool) not in ("receipt_queryable", "external_idempotent"):
            yield Finding(
                ("tools", at, "receipt"),
                f"tool `{tool.name}` has a receipt, but its effect is `{effect(tool)}`",
                "declare `effect receipt_queryable` or `effect external_idempotent`, or take the receipt out",
            )


RULE = Rule(
    code="AKM5003",
    title="A receipt is never asked for",
    explanation=(
        "After a lost outcome, a receipt is asked for only where its answer decides what may be done: for "
        "the classes `receipt_queryable` and `external_idempotent`."
    ),
    wrong="""\
tool upload {
  argv ["upload"]
  receipt ["uploaded"]
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
