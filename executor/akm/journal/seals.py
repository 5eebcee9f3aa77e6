"""Seals: a hash over columns that no event proves, stored beside them."""

import json

from akm_specs.canonical import hash_bytes


def sealed(*columns: object) -> str:
    """The seal of a row's columns, whatever damage has made of their types."""
    return hash_bytes(json.dumps(columns, default=repr).encode())  # repr: damage can turn text into bytes
