"""The terms of a plan: its vocabulary, bounds, references and values."""

from typing import Literal, TypeAlias, TypedDict, final

from akm_specs.canonical import Json

#: The terminals a transition can select. No step may take one of these names.
Terminal: TypeAlias = Literal["completed", "failed", "cancelled"]
TERMINALS: tuple[Terminal, ...] = ("completed", "failed", "cancelled")

#: Outcomes that promise no output: whatever a step declares, it has none where it ends by one of these.
WITHOUT_OUTPUT = (
    "failed",
    "timed_out",
    "expired",
    "skipped",
    "cancelled",
    "quorum_not_met",
    "rejected",
    "partial",
)

EffectClass: TypeAlias = Literal[
    "read_only",
    "workspace_mutation",
    "external_idempotent",
    "receipt_queryable",
    "unknown",
    "external_non_idempotent",
]
Origin: TypeAlias = Literal["declared", "defaulted"]
RetryReason: TypeAlias = Literal["failed", "timeout", "spawn_failed", "rate_limited"]
EvidenceKind: TypeAlias = Literal["receipt", "result", "artifact", "gate", "approval"]
JoinStrategy: TypeAlias = Literal["all", "settled", "quorum", "first"]
#: What the agents of a panel must differ in, one from another.
Distinction: TypeAlias = Literal["agent", "provider", "model", "tool"]
Reducer: TypeAlias = Literal["collect", "vote"]
Isolation: TypeAlias = Literal["none", "worktree"]
Access: TypeAlias = Literal["read", "write"]


class Bound(TypedDict):
    """A limit. Its unit stands in the name of the member that holds it; none means a count."""

    value: int
    origin: Origin


class Reference(TypedDict):
    """`params.NAME…`, `STEP.output…` or, in a map, `ITEM…`; `path` holds field names and list indexes."""

    root: Literal["params", "output", "item"]
    name: str
    path: list[str | int]


@final
class LiteralValue(TypedDict):
    literal: Json


@final
class ReferenceValue(TypedDict):
    reference: Reference


@final
class ObjectValue(TypedDict):
    members: "dict[str, Value]"


@final
class ListValue(TypedDict):
    items: "list[Value]"


Value: TypeAlias = LiteralValue | ReferenceValue | ObjectValue | ListValue
