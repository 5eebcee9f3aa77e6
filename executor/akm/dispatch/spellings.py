"""How programs write a secret: what has to be masked in their output."""

import base64
import json
import re
from urllib.parse import quote, quote_plus

#: How much of a secret's base64 must be recognisable to be masked inside a longer encoded text, in
#: characters. Less would also hit innocent text.
BASE64_PART_MIN = 8


#: How long a line of a secret of several lines must be to be masked alone, in characters. A key is often shown line
#: by line; a shorter line ("}", "--") is no secret.
LINE_LENGTH_MIN = 8

_LOWER_HEX = re.compile(rb"%[0-9A-F]{2}")


def spellings(secret: str) -> set[bytes]:
    """The ways in which programs usually write `secret`, and each line of it that is long enough to tell something.

    They are: plain, in JSON, in a URL, as a literal of Python, in hexadecimal and in base64. Base64 of a longer
    text that contains the secret (as in `user:secret`) is covered by the part of it that depends on the secret
    alone, for each of the three ways in which it can be aligned.
    """
    lines = secret.splitlines()
    told = [line for line in lines if len(line) >= LINE_LENGTH_MIN] if len(lines) > 1 else []
    return {spelling for text in (secret, *told) for spelling in _of(text)} - {b""}


def _of(secret: str) -> set[bytes]:
    plain = secret.encode("utf-8", "surrogateescape")
    encoded = {base64.b64encode(plain).rstrip(b"=")} | {_aligned(plain, shift) for shift in range(3)}
    encoded |= {part.translate(bytes.maketrans(b"+/", b"-_")) for part in encoded}
    literals = {repr(secret)[1:-1].encode("utf-8", "surrogateescape"), repr(plain)[2:-1].encode()}
    digits = {plain.hex().encode(), plain.hex().upper().encode()}
    return {plain} | digits | encoded | literals | _json(secret) | _url(plain)


def _json(secret: str) -> set[bytes]:
    """Inside a string of JSON: escaped or not beyond ASCII, with either case of digits, and with `/` as `\\/`."""
    ascii_only, as_it_is = (json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False))
    upper = re.sub(r"\\u[0-9a-f]{4}", lambda code: "\\u" + code[0][2:].upper(), ascii_only)
    texts = {ascii_only, as_it_is, upper}
    texts |= {text.replace("/", "\\/") for text in texts}
    return {text.encode("utf-8", "surrogateescape") for text in texts}


def _url(plain: bytes) -> set[bytes]:
    """Percent-encoded as the usual encoders do, each with either case of digits."""
    texts = {quote(plain, safe=safe).encode() for safe in ("", "/", "!'()*")} | {quote_plus(plain).encode()}
    return texts | {_LOWER_HEX.sub(lambda code: code[0].lower(), text) for text in texts}


def _aligned(plain: bytes, shift: int) -> bytes:
    """The base64 characters that `plain` alone decides when `shift` bytes stand before it."""
    first = -(-shift * 8 // 6)
    last = (shift + len(plain)) * 8 // 6
    part = base64.b64encode(bytes(shift) + plain)[first:last]
    return part if len(part) >= BASE64_PART_MIN else b""
