"""How the entries of a registry are written."""

from collections.abc import Iterator

from akmc.document import Scope
from akmc.registry import Agent, Defaults, Group, Registry, Repository, Tool
from akmc.write.words import block, listed, named, size, span, string


def entries(registry: Registry) -> Iterator[Iterator[str]]:
    """Each entry, as lines."""
    yield from (block(f"tool {each.name}", _tool(each)) for each in registry.tools)
    yield from (block(f"agent {each.name}", _agent(each)) for each in registry.agents)
    yield from (_group(each) for each in registry.groups)
    yield from (block(f"repository {each.name}", _repository(each)) for each in registry.repositories)
    if registry.defaults != Defaults():
        yield block("defaults", _defaults(registry.defaults))


def scope(written: Scope) -> Iterator[str]:
    """What an agent may touch, as a clause of several lines."""
    return block("scope", _scope(written))


def _tool(tool: Tool) -> Iterator[str]:
    if tool.argv:
        yield f"argv {listed(map(string, tool.argv))}"
    if tool.python is not None:
        yield f"python {string(tool.python)}"
    if tool.reserved:
        yield "reserved"
    if tool.session:
        yield "session"
    if tool.effect is not None:
        yield f"effect {tool.effect}"
    if tool.receipt is not None:
        yield f"receipt {listed(map(string, tool.receipt))}"
    yield from (f"reject {each.exit} -> {each.code}" for each in tool.rejects)
    if tool.timeout_ms is not None:
        yield f"timeout {span(tool.timeout_ms)}"
    if tool.env:
        yield f"env {listed(map(named, tool.env))}"
    if tool.directory is not None:
        yield f"directory {string(tool.directory)}"
    if tool.output_bytes_max is not None:
        yield f"output_max {size(tool.output_bytes_max)}"


def _agent(agent: Agent) -> Iterator[str]:
    yield f"tool {agent.tool}"
    if agent.model is not None:
        yield f"model {string(agent.model)}"
    if agent.provider is not None:
        yield f"provider {string(agent.provider)}"
    if agent.scope is not None:
        yield from scope(agent.scope)


def _group(group: Group) -> Iterator[str]:
    yield f"group {group.name} {listed(group.members)}"


def _repository(repository: Repository) -> Iterator[str]:
    if repository.directory is not None:
        yield f"directory {string(repository.directory)}"
    if repository.remote is not None:
        yield f"remote {string(repository.remote)}"


def _defaults(defaults: Defaults) -> Iterator[str]:
    if defaults.agent is not None:
        yield f"agent {defaults.agent}"
    if defaults.judge is not None:
        yield f"judge {defaults.judge}"


def _scope(written: Scope) -> Iterator[str]:
    lists = {"read": written.read, "write": written.write, "allow": written.allow, "deny": written.deny}
    if written.preset is not None:
        yield f"preset {written.preset}"
    yield from (f"{word} {listed(names)}" for word, names in lists.items() if names)
    if written.secrets:
        yield f"secrets {listed(map(named, written.secrets))}"
