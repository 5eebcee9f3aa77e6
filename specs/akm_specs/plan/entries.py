"""What a plan pins of the registry: tools, agents, repositories, and what agents may touch."""

from typing import Literal, NotRequired, TypedDict

from akm_specs.plan.terms import Access, Bound, EffectClass


class Script(TypedDict):
    """A file named in an argv by a path relative to the registry, pinned by its content."""

    path: str
    sha256: str


class Scope(TypedDict):
    """What an agent may touch. A session never crosses into another scope."""

    repositories: dict[str, Access]
    preset: str | None
    allow: list[str]
    deny: list[str]
    secrets: list[str]  # names only


class Tool(TypedDict):
    """What a step starts: an argv, or, where `python` names one, a function of the host program.

    A `reserved` tool has neither: a plan may name it, and a run that would need it does not start.
    """

    argv: list[str]
    effect: EffectClass
    timeout_ms: Bound
    output_bytes_max: Bound
    receipt: list[str] | None  # argv of the receipt query
    env: list[str]  # names only
    directory: str  # relative to the run's workspace
    scripts: list[Script]
    python: NotRequired[str]  # "module:function"
    reserved: NotRequired[Literal[True]]
    session: NotRequired[Literal[True]]  # one long-lived process, which speaks JSON lines
    rejects: NotRequired[dict[str, str]]  # exit code -> the code by which the producer refuses to work


class Agent(TypedDict):
    tool: str
    model: str | None
    provider: str | None
    scope: NotRequired[Scope]


class Repository(TypedDict):
    """A git repository that a delivery may push. `directory` is relative to the run's workspace."""

    directory: str
    remote: str
