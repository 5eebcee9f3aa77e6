"""Two declared types beside each other: whether a value of the one can ever be of the other."""

from akm_specs.canonical import JsonObject
from akmc.types import mismatch

#: Types whose values JSON Schema counts among those of another one.
_WIDER = {"integer": {"integer", "number"}}


def clash(given: JsonObject, wanted: JsonObject) -> str | None:
    """Why no value of the type `given` is of the type `wanted`; None where one may be.

    Only what the two types surely exclude counts. What neither says is left to the run, which checks the value.
    """
    if "anyOf" in given:
        reasons = [clash(each, wanted) for each in given["anyOf"]]
        return reasons[0] if all(reasons) else None
    if "anyOf" in wanted:
        reasons = [clash(given, each) for each in wanted["anyOf"]]
        return reasons[0] if all(reasons) else None
    if isinstance(values := given.get("enum"), list):
        misses = [mismatch(wanted, value) for value in values]
        return misses[0] if all(misses) else None
    return _kinds(given, wanted) or _ranges(given, wanted) or _fields(given, wanted) or _items(given, wanted)


def _kinds(given: JsonObject, wanted: JsonObject) -> str | None:
    one, other = _names(given), _names(wanted)
    if one is None or other is None:
        return None
    fits = any(_WIDER.get(name, {name}) & other or _WIDER.get(want, {want}) & one for name in one for want in other)
    return None if fits else f"it is of type {_spelt(one)}, and {_spelt(other)} is wanted"


def _names(type_: JsonObject) -> set[str] | None:
    """The JSON types that values of `type_` can have; None where it does not tell."""
    stated = type_.get("type")
    if stated is not None:
        return {stated} if isinstance(stated, str) else set(stated)
    values = type_.get("enum")
    return {_name(value) for value in values} if isinstance(values, list) else None


def _name(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case None:
            return "null"
        case _:
            return "object"


def _spelt(names: set[str]) -> str:
    return " or ".join(sorted(names))


def _ranges(given: JsonObject, wanted: JsonObject) -> str | None:
    least = max(given.get("minimum", float("-inf")), wanted.get("minimum", float("-inf")))
    most = min(given.get("maximum", float("inf")), wanted.get("maximum", float("inf")))
    return "the two ranges have no number in common" if least > most else None


def _fields(given: JsonObject, wanted: JsonObject) -> str | None:
    """The fields that an object of both types would have."""
    fields, wanted_fields = given.get("properties") or {}, wanted.get("properties") or {}
    for name in wanted.get("required") or ():
        if name not in fields and given.get("additionalProperties") is False:
            return f"it has no field `{name}`"
    for name in given.get("required") or ():
        if name not in wanted_fields and wanted.get("additionalProperties") is False:
            return f"its field `{name}` is not wanted"
        reason = clash(fields.get(name, {}), wanted_fields.get(name, {}))
        if reason is not None:
            return f"its field `{name}`: {reason}"
    return None


def _items(given: JsonObject, wanted: JsonObject) -> str | None:
    """The items that a list of both types would have. A list that may be empty is of any list's type."""
    least = given.get("minItems", 0)
    if least > wanted.get("maxItems", least):
        return f"it has at least {least} items, and at most {wanted['maxItems']} are wanted"
    reason = clash(given.get("items", {}), wanted.get("items", {})) if least > 0 else None
    return None if reason is None else f"its items: {reason}"
