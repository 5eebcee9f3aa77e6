"""A plan that no executor reads."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM3025",
    title="The plan is too large",
    explanation=(
        "A plan has at most 16 MiB, the plans of all its children included. A source stays far below that; many "
        "large children together may not."
    ),
    wrong="""\
$ akmc compile all.akm    # a hundred children, with long prompts in each
""",
    right="""\
$ akmc compile part.akm   # some of them, or the same ones with their texts in files
""",
    language="console",
)
