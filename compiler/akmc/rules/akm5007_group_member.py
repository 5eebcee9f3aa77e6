"""A member of a group who is a group, or is named twice."""

from collections.abc import Iterator

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule


def check_registry(registry: Registry) -> Iterator[Finding]:
    """Members that are groups, and members named twice."""
    groups = {group.name for group in registry.groups}
    for at, group in enumerate(registry.groups):
        for index, member in enumerate(group.members):
            place = ("groups", at, "members", index)
            if member in groups:
                message = f"group `{group.name}`: member `{member}` is a group"
                yield Finding(place, message, "list its people instead")
            elif member in group.members[:index]:
                yield Finding(place, f"group `{group.name}` names `{member}` twice", "keep one")


RULE = Rule(
    code="AKM5007",
    title="A group's member is not a person",
    explanation=(
        "A group lists people. Groups are not looked up inside groups, so such a member would be a person "
        "of that name, whom nobody is."
    ),
    wrong="""\
group leads [alice, bob]
group managers [leads]
""",
    right="""\
group leads [alice, bob]
group managers [alice]
""",
    check_registry=check_registry,
)
