"""What a workflow of another format is lowered beside: the registry, as far as its own words need it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from akmc.registry import Registry
from akmc.wording import duration_text

TOO_LONG = "AKM7114"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The registry, which is empty where there is none, and the gates that only look for files, by name."""

    registry: Registry = field(default_factory=Registry)
    file_gates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def tool_of(self, agent: str) -> str | None:
        """The tool of the agent called `agent`."""
        return next((each.tool for each in self.registry.agents if each.name == agent), None)

    def longest_ms(self, tools: "tuple[str | None, ...]") -> int | None:
        """The longest time that all of `tools` allow; None where none of them states any."""
        stated = [
            tool.timeout_ms for tool in self.registry.tools if tool.name in tools and tool.timeout_ms is not None
        ]
        return min(stated, default=None)


def too_long(milliseconds: int, most: int) -> tuple[str, str]:
    """Message and help for a timeout above what the registry allows."""
    return (
        f"{duration_text(milliseconds)} is more than the registry allows, which is {duration_text(most)}",
        "the registry decides: write less, or let it allow more",
    )
