"""The registry's document: what workflows may use. Trusted, reviewed, and copied into each plan as far as used."""

from typing import Annotated

from pydantic import Field

from akm_specs.plan import EffectClass
from akmc.document import NAME_LENGTH_MAX, Duration, Name, Node, Scope, Text


class Rejection(Node):
    """An exit code by which a tool says that its producer refuses to work, and the code of why."""

    exit: Annotated[int, Field(ge=1, le=255)]
    code: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=NAME_LENGTH_MAX)]


class Tool(Node):
    """Exactly one of `argv`, `python` and `reserved` is there; `rules/` says so with a span."""

    name: Name
    argv: tuple[Annotated[Text, Field(min_length=1)], ...] = ()
    python: Text | None = None
    reserved: bool = False
    session: bool = False
    effect: EffectClass | None = None
    timeout_ms: Duration | None = None
    output_bytes_max: Annotated[int, Field(ge=1, le=1024**3)] | None = None
    receipt: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
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
    members: Annotated[tuple[Name, ...], Field(min_length=1)]


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
