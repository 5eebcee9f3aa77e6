"""Properties: which steps a `require` or a `never` names."""

from collections.abc import Iterator

from akmc.document import AtMost, Before, NeverAfter, OnlyThrough, Place, Property, Workflow
from akmc.freeze import freeze_property
from akmc.proof.properties import property_text


def named_steps(stated: Property) -> tuple[tuple[str, str], ...]:
    """The steps that a property names, each as the member of the document that names it, and the name."""
    match stated:
        case Before():
            return (("first", stated.first), ("step", stated.step))
        case AtMost():
            return (("step", stated.step),)
        case OnlyThrough():
            return (("step", stated.step), ("through", stated.through))
        case NeverAfter():
            return (("step", stated.step), ("after", stated.after))


def required_steps(workflow: Workflow) -> frozenset[str]:
    """The steps that some `require` wants to be gone through: passing them by would break it."""
    firsts = {each.first for each in workflow.properties if isinstance(each, Before)}
    return frozenset(firsts | {each.through for each in workflow.properties if isinstance(each, OnlyThrough)})


def written(stated: Property) -> str:
    """A property as the language writes it."""
    return property_text(freeze_property(stated))


def places(workflow: Workflow) -> Iterator[tuple[Place, Property]]:
    """Each property of `workflow` with its place."""
    for at, stated in enumerate(workflow.properties):
        yield ("properties", at), stated
