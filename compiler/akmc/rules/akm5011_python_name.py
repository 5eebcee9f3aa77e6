"""A tool in Python that names no function."""

from collections.abc import Iterator
from keyword import iskeyword

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule


def check_registry(registry: Registry) -> Iterator[Finding]:
    """What stands behind `python`."""
    for at, tool in enumerate(registry.tools):
        if tool.python is not None and not _names_function(tool.python):
            message = f"tool `{tool.name}`: `{tool.python}` names no function"
            yield Finding(("tools", at, "python"), message, 'write `python "package.module:function"`')


def _names_function(text: str) -> bool:
    module, colon, function = text.partition(":")
    parts = (*module.split("."), *function.split("."))
    return bool(colon) and text.isascii() and all(part.isidentifier() and not iskeyword(part) for part in parts)


RULE = Rule(
    code="AKM5011",
    title="This names no Python function",
    explanation=("A Python tool is a module that can be imported, a colon, and the name of a function in it."),
    wrong="""\
tool check { python "checks/run.py" }
""",
    right="""\
tool check { python "checks.run:main" }
""",
    check_registry=check_registry,
)
