"""The registry's document: what workflows may use. Trusted, reviewed, and copied into each plan as far as used."""

from typing import Annotated

from akm_specs.node import Matching, Node, Sized, Within
from akm_specs.plan import EffectClass
from akmc.document import NAME_LENGTH_MAX, Duration, Name, Scope, Text


class Rejection(Node):
    """An exit code by which a tool says that its producer refuses to work, and the code of why."""

    exit: Annotated[int, Within(1, 255)]
    code: Annotated[str, Matching(r"^[a-z][a-z0-9_]*$"), Sized(most=NAME_LENGTH_MAX)]


class Tool(Node):
    """Exactly one of `argv`, `python` and `reserved` is there; `rules/` says so with a span."""

    name: Name
    argv: tuple[Annotated[Text, Sized(1)], ...] = ()
    python: Text | None = None
    reserved: bool = False
    session: bool = False
    effect: EffectClass | None = None
    timeout_ms: Duration | None = None
    output_bytes_max: Annotated[int, Within(1, 1024**3)] | None = None
    receipt: Annotated[tuple[Text, ...], Sized(1)] | None = None
    rejects: tuple[Rejection, ...] = ()
    env: tuple[str, ...] = ()
    directory: Text | None = None


class Agent(Node):
    name: Name
    tool: Name
    model: Text | None = None
    provider: Text | None = None
    scope: Scope | None = None


class Group(Node):
    """People who may decide where a workflow says `by GROUP`."""

    name: Name
    members: Annotated[tuple[Name, ...], Sized(1)]


class Repository(Node):
    """A git repository that a delivery may push; `directory` is relative to the run's workspace."""

    name: Name
    directory: Text | None = None
    remote: Text | None = None


class Defaults(Node):
    """Who works and who judges where a workflow does not say."""

    agent: Name | None = None
    judge: Name | None = None


class Registry(Node):
    tools: tuple[Tool, ...] = ()
    agents: tuple[Agent, ...] = ()
    groups: tuple[Group, ...] = ()
    repositories: tuple[Repository, ...] = ()
    defaults: Defaults = Defaults()
