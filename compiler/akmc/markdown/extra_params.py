"""What `extra_params` of akm Markdown may not hold: what a request has by itself, and secrets."""

from collections.abc import Iterator

from akm_specs.canonical import Json

#: Keys compared without case and signs.
_MANAGED = frozenset(
    {"model", "messages", "temperature", "maxtokens", "responseformat", "stream", "streamoptions"}
    | {"enablethinking", "reasoningeffort", "chattemplatekwargs"}
)
_SECRET = frozenset({"authorization", "headers", "apikey", "token", "password", "secret", "cookie", "setcookie"})


def refused_keys(extra: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Each key that may not stand in `extra`, and why."""
    for key in extra:
        if _normal(key) in _MANAGED:
            yield key, "is set elsewhere, and cannot be overridden here"
    yield from ((key, "would hold a secret, which belongs into the environment") for key in _secrets(extra))


def _secrets(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if _normal(key) in _SECRET:
                yield key
            yield from _secrets(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _secrets(inner)


def _normal(key: str) -> str:
    return "".join(letter for letter in key.lower() if letter.isascii() and letter.isalnum())
