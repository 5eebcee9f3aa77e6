"""The keys of an akm Markdown workflow's front matter: what may stand where, in that format's own words."""

from typing import Annotated, Literal, TypeAlias

from akm_specs.canonical import Json
from akm_specs.node import Distinct, Matching, Node, Sized, Within
from akmc.document import STEPS_MAX

#: Keys behind which an author's own values stand, in which anything may be null.
FREE = frozenset({"params", "output", "provenance", "extra_params"})

_STEP = r"[A-Za-z_][A-Za-z0-9_-]*"
#: The way of an asset: names between slashes, with the bundle that has it in front of a double slash.
_ASSET = r"([^\s:\\/]+//)?[^\s:\\/]+(/[^\s:\\/]+)*"

Said: TypeAlias = Annotated[str, Matching(r"(?s:.*\S.*)", "a text that is not blank")]
Count: TypeAlias = Annotated[int, Within(1)]
Schema: TypeAlias = dict[str, Json]
#: `90s`, `10m`, `500ms`, a count of milliseconds, or `none`: see `timeouts`.
Timeout: TypeAlias = str | int
OnError: TypeAlias = Literal["fail", "continue"]
Engine: TypeAlias = Annotated[str, Sized(most=63), Matching(r"(?s:.*\S.*)", "the name of an engine")]
Asset: TypeAlias = Annotated[str, Matching(_ASSET, "a way such as `skills/review`")]
ParameterName: TypeAlias = Annotated[str, Matching(r"[A-Za-z_][A-Za-z0-9_]*", "a name without signs")]
StepName: TypeAlias = Annotated[str, Matching(_STEP, "a name of letters, digits, `-` and `_`")]

RetryReason: TypeAlias = Literal[
    "timeout",
    "spawn_failed",
    "non_zero_exit",
    "parse_error",
    "cooldown",
    "llm_rate_limit",
    "llm_content_filter",
    "llm_invalid_json",
    "content_policy_reject",
    "unsupported_type",
    "no_change",
    "quality_rejected",
    "aborted",
]


class Stamp(Node):
    by: Annotated[str, Sized(1)]
    at: str | None = None


class Llm(Node):
    temperature: int | float | None = None
    max_tokens: Count | None = None
    supports_json_schema: bool | None = None
    extra_params: dict[str, Json] | None = None
    context_length: Count | None = None
    enable_thinking: bool | None = None
    reasoning_effort: Said | None = None


class Defaults(Node):
    engine: Engine | None = None
    model: Said | None = None
    timeout: Timeout | None = None
    on_error: OnError | None = None
    llm: Llm | None = None


class Budget(Node):
    max_tokens: Count | None = None
    max_units: Annotated[int, Within(1, 10_000)] | None = None


class Retry(Node):
    max: Annotated[int, Within(0, 100)]
    on: Annotated[tuple[RetryReason, ...], Sized(1)]


class Unit(Node):
    engine: Engine | None = None
    model: Said | None = None
    llm: Llm | None = None
    timeout: Timeout | None = None
    retry: Retry | None = None
    on_error: OnError | None = None
    output: Schema | None = None
    env: Annotated[tuple[Said, ...], Distinct()] = ()
    isolation: Literal["none", "worktree"] | None = None


class Map(Node):
    over: Said
    concurrency: Annotated[int, Within(1, 64)] | None = None
    reducer: Literal["collect", "vote"] | None = None
    unit: Unit = Unit()


class Branch(Node):
    match: str | int | bool
    step: Said


class Route(Node):
    input: Said
    when: Annotated[tuple[Branch, ...], Sized(1)]
    default: Said | None = None


class Gate(Node):
    max_loops: Annotated[int, Within(1, 100)] | None = None


class Step(Node):
    id: StepName
    unit: Unit | None = None
    map: Map | None = None
    route: Route | None = None
    inputs: Annotated[tuple[Said, ...], Sized(1), Distinct()] | None = None
    output: Schema | None = None
    gate: Gate | None = None


class FrontMatter(Node):
    type: Literal["workflow"] | None = None
    description: str | None = None
    tags: tuple[Said, ...] | None = None
    when_to_use: str | None = None
    xrefs: tuple[Asset, ...] | None = None
    updated: str | None = None
    timestamp: str | None = None
    generated: Stamp | None = None
    verified: tuple[Stamp, ...] | None = None
    provenance: dict[str, Json] | None = None
    status: Literal["draft", "stable", "deprecated"] | None = None
    stale_after: str | None = None
    params: dict[ParameterName, Schema] = {}  # noqa: RUF012  # a default of a node, which is never changed
    defaults: Defaults = Defaults()
    budget: Budget = Budget()
    steps: Annotated[tuple[Step, ...], Sized(1, STEPS_MAX)]
