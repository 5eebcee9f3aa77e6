"""The keys of `kxm.workflow.v1` and `kxm.gate-registry.v1`: what may stand where, in that format's own words."""

import re
from typing import Annotated, Literal, TypeAlias

from akm_specs.node import Distinct, Matching, Node, Sized, Within

WORKFLOW_SCHEMA = "kxm.workflow.v1"
GATES_SCHEMA = "kxm.gate-registry.v1"
TERMINAL = "$terminal"

#: Largest document of the format, in bytes.
DOCUMENT_BYTES_MAX = 256 * 1024
#: A year in milliseconds: the longest duration of the format.
DURATION_MS_MAX = 31_536_000_000
#: The longest time that a gate's command may have.
COMMAND_MS_MAX = 2**31 - 1

#: Keys whose plain values are numbers, which this format reads as YAML 1.2 spells them.
NUMBERS = re.compile(r"(max[A-Z]\w*|minimum\w*|target|maximum|timeoutMs)")

_WORD = r"[a-z][a-z0-9]*([-_][a-z0-9]+)*"
_SAID = "a name of lower case letters and digits, with single `-` or `_` between them"
Identifier: TypeAlias = Annotated[str, Sized(most=64), Matching(_WORD, _SAID)]
Identifiers: TypeAlias = Annotated[tuple[Identifier, ...], Distinct()]
Count: TypeAlias = Annotated[int, Within(1, 64)]
Attempts: TypeAlias = Annotated[int, Within(1, 20)]
Producers: TypeAlias = Annotated[int, Within(1, 16)]
Duration: TypeAlias = Annotated[int, Within(0, DURATION_MS_MAX)]
Access: TypeAlias = Literal["none", "read", "write"]
Text: TypeAlias = Annotated[str, Sized(most=4_000)]
Variable: TypeAlias = Annotated[str, Sized(most=128), Matching(r"[A-Z_][A-Z0-9_]*", "the name of a variable")]
Currency: TypeAlias = Annotated[str, Matching(r"[A-Z]{3}", "three capital letters")]
Argument: TypeAlias = Annotated[str, Sized(1, 4096)]
FilePath: TypeAlias = Annotated[str, Sized(1, 1024)]


class Limits(Node):
    maxTransitions: Annotated[int, Within(1, 1_000)] | None = None
    maxRunDurationMs: Duration | None = None
    maxAgentTimeMs: Duration | None = None
    maxModelCost: int | float | None = None
    currency: Currency | None = None


class Oracle(Node):
    """The evidence of one step that is fixed once the step has passed."""

    stageId: Identifier
    evidenceKey: Identifier


class Selector(Node):
    """Which model a step wants: one by its profile, one of those with a tag, or exactly one."""

    profile: Identifier | None = None
    tag: Identifier | None = None
    capabilities: Annotated[Identifiers, Sized(most=32)] | None = None
    provider: Identifier | None = None
    model: Annotated[str, Sized(1, 200)] | None = None


class Tools(Node):
    preset: Identifier | None = None
    allow: Annotated[Identifiers, Sized(most=128)] | None = None
    deny: Annotated[Identifiers, Sized(most=128)] | None = None


class Secret(Node):
    ref: Identifier
    as_: Variable | None = None
    required: bool = True


class Assignments(Node):
    allowedAgents: Annotated[tuple[Identifier, ...], Sized(1, 32), Distinct()] | None = None
    minimum: Count | None = None
    target: Count | None = None
    maximum: Count | None = None
    maxParallel: Count | None = None
    maxAttemptsPerAssignment: Attempts | None = None
    maxWriteRepositories: Count | None = None
    distinctBy: Annotated[tuple[Literal["provider", "model", "profile"], ...], Sized(most=3), Distinct()] = ()


class Join(Node):
    strategy: Literal["all", "all-settled", "quorum", "first-success"]
    minimumPassed: Count | None = None
    cancelRemaining: bool | None = None


class Degradation(Node):
    minimumProducers: Annotated[int, Within(1, 15)]


class ProducerPolicy(Node):
    minimumProducers: Producers
    eligibleAgents: Annotated[tuple[Identifier, ...], Sized(1, 32), Distinct()]
    acceptedStatuses: Annotated[tuple[Literal["passed"], ...], Sized(1, 1)]
    degradation: Degradation | None = None


class Evidence(Node):
    key: Identifier
    kind: Literal["assignment-result", "gate", "receipt", "approval", "artifact"]
    minimum: Producers | None = None
    producerPolicy: ProducerPolicy | None = None
    reusableAcrossAttempts: bool = False


class Transition(Node):
    """Where an outcome leads. A target that stands alone is written out as one."""

    target: Annotated[str, Sized(most=64), Matching(rf"\$terminal|{_WORD}", "a step, or `$terminal`")]
    maxTransitions: Annotated[int, Within(1, 100)] | None = None
    terminalStatus: Literal["completed", "failed", "cancelled"] | None = None


class Step(Node):
    id: Identifier
    kind: Literal["agent", "moa", "gate", "approval", "wait"]
    aliases: Annotated[Identifiers, Sized(most=16)] | None = None
    description: Annotated[str, Sized(most=2_000)] | None = None
    instructions: Annotated[str, Sized(most=16_000)] | None = None
    maxAttempts: Attempts | None = None
    agent: Identifier | None = None
    gate: Identifier | None = None
    expect: Literal["pass", "fail"] | None = None
    signal: Identifier | None = None
    model: Selector | None = None
    repositories: Annotated[dict[Identifier, Access], Sized(most=64)] | None = None
    tools: Tools | None = None
    secrets: Annotated[tuple[Secret, ...], Sized(most=64)] = ()
    assignments: Assignments | None = None
    join: Join | None = None
    requiredEvidence: Annotated[tuple[Evidence, ...], Sized(most=64)] = ()
    timeoutMs: Duration | None = None
    safeSpeculation: bool = False
    on: Annotated[dict[Identifier, Transition], Sized(1, 32)]


class Workflow(Node):
    schema: Literal["kxm.workflow.v1"]
    description: Text | None = None
    coordinator: Identifier | None = None
    aliases: Annotated[Identifiers, Sized(most=16)] | None = None
    limits: Limits = Limits()
    reproOracle: Oracle | None = None
    planHash: Oracle | None = None
    requirePlanHash: Annotated[Identifiers, Sized(most=128)] = ()
    steps: Annotated[tuple[Step, ...], Sized(1, 128)]


class Gate(Node):
    """One gate of a registry. Which keys it has besides `kind` depends on that."""

    kind: Literal["command", "artifacts-exist", "reserved"]
    argv: Annotated[tuple[Argument, ...], Sized(1, 64)] | None = None
    timeoutMs: Annotated[int, Within(1, COMMAND_MS_MAX)] | None = None
    cwd: Literal["control"] | None = None
    paths: Annotated[tuple[FilePath, ...], Sized(1, 64), Distinct()] | None = None


class Gates(Node):
    schema: Literal["kxm.gate-registry.v1"]
    gates: Annotated[dict[Identifier, Gate], Sized(1, 64)]
