"""What the names in each rule of the grammar are: steps, tools and so on, or names that lead nowhere."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

#: What a name can name. A target may be a terminal too, and a person may stand for a group.
#: Authors define the first; the second the language itself knows (see `words`).
Defined: TypeAlias = Literal["step", "param", "item", "state", "tool", "agent", "group", "repository"]
Known: TypeAlias = Literal[
    "outcome", "effect", "reason", "evidence", "strategy", "distinction", "reducer", "isolation", "expectation"
]
Kind: TypeAlias = Defined | Known

#: Kinds whose names are defined in the file in which they are mentioned; the others stand in the registry.
LOCAL: frozenset[Kind] = frozenset({"step", "param", "item", "state"})


@dataclass(frozen=True, slots=True)
class Role:
    """What the names of a rule are, one after the other; the last of `kinds` goes for all that follow.

    None stands for a name that leads nowhere. `defines` says that this is where they come from.
    """

    kinds: tuple[Kind | None, ...]
    defines: bool = False


_PLAIN = Role((None,))
_STEPS = Role(("step",))
_TOOL = Role(("tool",))
_AGENT = Role(("agent",))
_STATES = Role(("state",))
_REPOSITORIES = Role(("repository",))

#: Every rule of the grammar that has names in it, but `reference`, which begins with a step or with `params`.
ROLES = {
    "lifecycle": _PLAIN,
    "initial": Role(("state",), defines=True),
    "state": Role(("state",), defines=True),
    "final": Role(("state",), defines=True),
    "move": _STATES,
    "sources": _STATES,
    "trigger": _PLAIN,
    "tool": Role(("tool",), defines=True),
    "reject": _PLAIN,
    "effect": Role(("effect",)),
    "env": _PLAIN,
    "agent": Role(("agent",), defines=True),
    "agent_tool": _TOOL,
    "group": Role(("group", None), defines=True),
    "repository": Role(("repository",), defines=True),
    "default_agent": _AGENT,
    "default_judge": _AGENT,
    "read": _REPOSITORIES,
    "write": _REPOSITORIES,
    "preset": _PLAIN,
    "allow": _PLAIN,
    "deny": _PLAIN,
    "secrets": _PLAIN,
    "workflow": _PLAIN,
    "param": Role(("param",), defines=True),
    "before": _STEPS,
    "at_most": _STEPS,
    "only_through": _STEPS,
    "never_after": _STEPS,
    "step": Role(("step",), defines=True),
    "exec": _TOOL,
    "tool_gate": _TOOL,
    "agent_step": _AGENT,
    "map": Role(("item",), defines=True),
    "judge": _AGENT,
    "signal": _PLAIN,
    "repositories": _REPOSITORIES,
    "on": Role(("outcome", "step")),
    "retry": Role(("reason",)),
    "isolation": Role(("isolation",)),
    "exit": _PLAIN,
    "expect": Role(("expectation",)),
    "by": Role(("group",)),
    "when": _STEPS,
    "otherwise": _STEPS,
    "evidence": Role((None, "evidence")),
    "eligible": _AGENT,
    "requires": _PLAIN,
    "gate_judge": _AGENT,
    "pool": _AGENT,
    "distinct": Role(("distinction",)),
    "join": Role(("strategy",)),
    "then": _PLAIN,
    "run_tool": _TOOL,
    "run_agent": _AGENT,
    "reduce": Role(("reducer",)),
    "member": _PLAIN,
    "constant_member": _PLAIN,
    "property": _PLAIN,
    "field": _PLAIN,
}
