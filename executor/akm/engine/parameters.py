"""Parameters: from what a person typed or wrote to a value of the declared type."""

from collections.abc import Mapping

from akm_specs.canonical import Json, JsonObject, NotCanonical, NotStrictJson, canonical, parse_json
from akm_specs.plan import Parameter, Plan
from akm_specs.types import violation


class BadParameter(ValueError):
    """A parameter that the plan does not have, lacks, or cannot take; the message says what it takes."""


def from_text(plan: Plan, assignments: tuple[str, ...]) -> JsonObject:
    """The values of `NAME=VALUE` arguments, each coerced through its parameter's type. Raises BadParameter."""
    known = {parameter["name"]: parameter for parameter in plan["parameters"]}
    found: JsonObject = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise BadParameter(f"-p takes NAME=VALUE, not {assignment!r}")
        if name not in known:
            raise BadParameter(_unknown(name, known))
        if name in found:
            raise BadParameter(f"parameter {name!r} is given twice")
        found[name] = _coerce(known[name], text)
    return found


def complete(plan: Plan, given: Mapping[str, Json]) -> JsonObject:
    """`given` with the defaults filled in and every value checked. Raises BadParameter."""
    known = {parameter["name"]: parameter for parameter in plan["parameters"]}
    for name in given:
        if name not in known:
            raise BadParameter(_unknown(name, known))
    values: JsonObject = {}
    for name, parameter in known.items():
        if name in given:
            values[name] = given[name]
        elif "default" in parameter:
            values[name] = parameter["default"]
        else:
            raise BadParameter(f"parameter {name!r} is required: give -p {name}=VALUE")
        broken = violation(parameter["type"], values[name])
        if broken is not None:
            raise BadParameter(f"parameter {name!r} does not fit its type: {broken}")
    try:
        canonical(values)
    except NotCanonical as error:
        raise BadParameter(f"the parameters have no canonical form: {error}") from error
    return values


def _coerce(parameter: Parameter, text: str) -> Json:
    """A text is itself where a string is wanted; anything else is read as JSON."""
    kind = parameter["type"].get("type")
    if kind == "string":
        return text
    choices = parameter["type"].get("enum")
    if choices is not None and text in choices:
        return text
    try:
        return parse_json(text)
    except NotStrictJson as error:
        wanted = kind or f"one of {choices}"
        raise BadParameter(f"parameter {parameter['name']!r} takes {wanted}, not {text!r}") from error


def _unknown(name: str, known: Mapping[str, object]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has: {', '.join(known) or 'none'}"
    return f"the plan has no parameter {name!r}; {hint}"
