"""The text of the language, and nothing that interprets it."""

from importlib.resources import files


def read() -> str:
    """The Lark grammar of `.akm` documents (source: docs/reference/language.md)."""
    return files(__name__).joinpath("akm.lark").read_text(encoding="utf-8")
