"""The text of the language and the tables made from it, and nothing that interprets them."""

from pathlib import Path

GRAMMAR_FILE = Path(__file__).with_name("akm.lark")
TABLES_FILE = Path(__file__).with_name("akm.tables.json")


def read() -> str:
    """The Lark grammar of `.akm` documents (source: docs/reference/language.md)."""
    return GRAMMAR_FILE.read_text(encoding="utf-8")


def read_tables() -> str:
    """What `python -m akmc.grammar_table` made of the grammar, as JSON."""
    return TABLES_FILE.read_text(encoding="utf-8")
