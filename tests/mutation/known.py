"""Mutants that were looked at and that no test is to notice, by module, text and fault; and why."""

EQUIVALENT = "equivalent: nothing that can be seen depends on it"
REDUNDANT = "equivalent: another rule refuses the same text before or after"
WORDING = "a word of a record for people, which no rule reads"

REASONS: dict[tuple[str, str, str], str] = {
    ("akm.reply", "return _UNFINISHED.match(text, offset) is not None", "returns None"): REDUNDANT,
    ("akm.reply", "if start < 0:", "Lt -> LtE"): REDUNDANT,
    ("akm.reply", "return None", "returns None"): EQUIVALENT,
    (
        "akm.reply.deep_json",
        'exact = len(lexeme) <= _INTEGER_DIGITS_MAX and not any(mark in lexeme for mark in ".eE")',
        "'.eE' -> other text",
    ): EQUIVALENT,  # no number holds the letter that was added
    ("akm.kernel.steps", "return None", "returns None"): EQUIVALENT,
    (
        "akm.kernel.sessions",
        'draft.move("session", found.id, "close", why="scope")',
        "argument why left out",
    ): WORDING,
}


def reason(module: str, text: str, what: str) -> str:
    """Why a mutant survived, as far as somebody looked."""
    return REASONS.get((module, text, what), "not noticed: a test is missing, or nobody has looked yet")
