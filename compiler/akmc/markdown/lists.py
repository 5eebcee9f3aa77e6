"""How many items the list of a map may have, as far as the types of the front matter say."""

from akm_specs.canonical import Json, JsonObject
from akmc.document import ITEMS_MAX
from akmc.markdown import keys
from akmc.markdown.references import Written, parse_reference


def most_items(workflow: keys.FrontMatter, over: str) -> int:
    """The most items of the list that `over` names; the most of any list, where no type says less."""
    reference = parse_reference(over.strip())
    found: Json = {} if reference is None else _type(workflow, reference)
    for part in () if reference is None else reference.path:
        found = _member(found, part)
    most = found.get("maxItems") if isinstance(found, dict) else None
    return min(most, ITEMS_MAX) if type(most) is int else ITEMS_MAX


def _type(workflow: keys.FrontMatter, reference: Written) -> JsonObject:
    if reference.root == "params":
        return workflow.params.get(reference.name) or {}
    step = next((each for each in workflow.steps if each.id == reference.name), None)
    if step is None or step.map is None:
        own = None if step is None or step.unit is None else step.unit.output
        return own or (None if step is None else step.output) or {}
    item = step.map.unit.output or {}
    return item if step.map.reducer == "vote" else {"items": item}


def _member(type_: Json, part: str | int) -> Json:
    """The type of a member; null, where `type_` says nothing of it."""
    if not isinstance(type_, dict):
        return None
    if isinstance(part, int):
        return type_.get("items")
    members = type_.get("properties")
    return members.get(part) if isinstance(members, dict) else None
