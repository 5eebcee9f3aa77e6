"""How programs write a secret: what has to be masked in their output."""

import base64
import json
from urllib.parse import quote, quote_plus

#: How much of a secret's base64 must be recognisable to be masked inside a longer encoded text, in
#: characters. Less would also hit innocent text.
BASE64_PART_MIN = 8


def spellings(secret: str) -> set[bytes]:
    """The ways in which programs usually write `secret`: plain, in JSON, in a URL, in base64.

    Base64 of a longer text that contains the secret (as in `user:secret`) is covered by the part of it
    that depends on the secret alone, for each of the three ways in which it can be aligned.
    """
    plain = secret.encode("utf-8", "surrogateescape")
    texts = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    texts |= {quote(plain, safe=""), quote_plus(plain)}
    encoded = {base64.b64encode(plain).rstrip(b"=")} | {_aligned(plain, shift) for shift in range(3)}
    encoded |= {part.translate(bytes.maketrans(b"+/", b"-_")) for part in encoded}
    return {plain, *(text.encode("utf-8", "surrogateescape") for text in texts), *encoded} - {b""}


def _aligned(plain: bytes, shift: int) -> bytes:
    """The base64 characters that `plain` alone decides when `shift` bytes stand before it."""
    first = -(-shift * 8 // 6)
    last = (shift + len(plain)) * 8 // 6
    part = base64.b64encode(bytes(shift) + plain)[first:last]
    return part if len(part) >= BASE64_PART_MIN else b""
