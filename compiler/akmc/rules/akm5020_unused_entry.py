"""An entry of a registry that nothing uses."""

from akmc.rules.rule import Rule
from akmc.unused import UNUSED

RULE = Rule(
    code=UNUSED,
    title="An entry is not used",
    explanation=(
        "A registry is reviewed entry by entry, and what nothing uses is reviewed for nothing. It is looked for "
        "where `akmc lint` is given the registry's whole folder: no source there or below names the entry."
    ),
    wrong="""\
$ cat registry.akm
tool build { argv ["make"] }
tool biuld { argv ["mkae"] }
$ akmc lint .    # the workflows here run `build`
""",
    right="""\
$ cat registry.akm
tool build { argv ["make"] }
$ akmc lint .
""",
    language="console",
    severity="warning",
)
