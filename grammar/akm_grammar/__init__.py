"""The text of the language and the tables made from it, and nothing that interprets them."""

from importlib.resources import files

#: The file of the tables, beside the grammar.
TABLES_FILE = "akm.tables.json"


def read() -> str:
    """The Lark grammar of `.akm` documents (source: docs/reference/language.md)."""
    return files(__name__).joinpath("akm.lark").read_text(encoding="utf-8")


def read_tables() -> str:
    """What `python -m akmc.grammar_table` made of the grammar, as JSON."""
    return files(__name__).joinpath(TABLES_FILE).read_text(encoding="utf-8")
