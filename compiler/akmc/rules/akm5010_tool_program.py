"""A tool that starts nothing, or several things."""

from collections.abc import Iterator

from akmc.registry import Registry, Tool
from akmc.rules.rule import Finding, Rule
from akmc.wording import listed


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Tools with none or several of `argv`, `python` and `reserved`."""
    for at, tool in enumerate(registry.tools):
        stated = _stated(tool)
        if not stated:
            message, advice = f"tool `{tool.name}` has no program", 'add `argv ["program"]`, `python` or `reserved`'
            yield Finding(("tools", at, "name"), message, advice)
        elif len(stated) > 1:
            message = f"tool `{tool.name}` has {listed(stated)}, and can be one of them"
            yield Finding(("tools", at, stated[-1]), message, "keep one")


def _stated(tool: Tool) -> list[str]:
    words = {"argv": bool(tool.argv), "python": tool.python is not None, "reserved": tool.reserved}
    return [word for word, there in words.items() if there]


RULE = Rule(
    code="AKM5010",
    title="A tool is not one program",
    explanation=(
        '`argv ["program", "argument"]` is a command, `python "module:function"` a function of the host program, '
        "and `reserved` a name that some other registry fills. A tool is exactly one of them."
    ),
    wrong="""\
tool check { effect read_only }
""",
    right="""\
tool check { argv ["make", "check"], effect read_only }
""",
    check_registry=check_registry,
)
