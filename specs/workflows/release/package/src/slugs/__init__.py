"""Titles as words for an address bar.

This package has a bug on purpose: the release example starts with it, and a test shows it.
"""

import re
import unicodedata


def slug(title: str) -> str:
    """Lower-case ASCII words of `title`, joined by single dashes: `"Crème brûlée!"` is `creme-brulee`."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "-", plain)
