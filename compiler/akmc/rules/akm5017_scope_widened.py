"""A step that gives an agent more than its entry does."""

from collections.abc import Iterator

from akmc.document import Scope, WorkStep
from akmc.registry import Agent
from akmc.rules.rule import Finding, Rule
from akmc.view import View, agents_of


def check(view: View) -> Iterator[Finding]:
    """Scopes of steps beside those of each of their agents."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, WorkStep) or step.scope is None:
            continue
        agents = [view.agents[name] for name in agents_of(step) if name in view.agents]
        for agent in agents:
            for member, what in _beyond(step.scope, agent):
                message = f"step `{step.name}` {what}, which is beyond the scope of agent `{agent.name}`"
                yield Finding(("steps", at, "scope", member), message, "ask for less, or change the registry")


def _beyond(scope: Scope, agent: Agent) -> Iterator[tuple[str, str]]:
    ceiling = agent.scope or Scope()
    readable = {*ceiling.read, *ceiling.write}
    yield from (("read", f"reads `{name}`") for name in scope.read if name not in readable)
    yield from (("write", f"writes `{name}`") for name in scope.write if name not in ceiling.write)
    yield from (("allow", f"allows `{name}`") for name in scope.allow if name not in ceiling.allow)
    yield from (("secrets", f"takes secret `{name}`") for name in scope.secrets if name not in ceiling.secrets)
    if scope.preset is not None and scope.preset != ceiling.preset:
        yield "preset", f"takes preset `{scope.preset}`"
    if scope.preset is not None or scope.allow or scope.deny:
        member = "deny" if scope.deny else "allow" if scope.allow else "preset"
        yield from ((member, f"no longer denies `{name}`") for name in ceiling.deny if name not in scope.deny)


RULE = Rule(
    code="AKM5017",
    title="A step widens its agent's scope",
    explanation=(
        "The registry is reviewed: it says what an agent may touch at most, and an agent without a scope there "
        "may touch nothing that one names. A step may only narrow it: fewer repositories, tools and secrets. A "
        "scope that chooses tools keeps the agent's denials."
    ),
    wrong="""\
workflow fix "Mend the site" {
  step mend: agent coder {
    prompt "Mend the site."
    scope { write [site] }
    on passed -> completed
  }
}
""",
    right="""\
workflow fix "Look at the site" {
  step look: agent coder {
    prompt "What is wrong with the site?"
    scope { read [site] }
    on passed -> completed
  }
}
""",
    registry="""\
tool claude { argv ["claude"] }
agent coder { tool claude, scope { read [site] } }
repository site { directory "site" }
""",
    check=check,
)
