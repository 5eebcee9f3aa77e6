"""From the tree of a scope to its document: what an agent may touch."""

from akm_specs.canonical import Json
from akmc.document import Place
from akmc.lower_clauses import Clause, lower_clauses, of_word, of_words
from akmc.lower_words import text
from akmc.lowered import Lowering
from akmc.syntax import Tree


def lower_scope(lowering: Lowering, tree: Tree, place: Place) -> Json:
    """The document of a scope, in a registry as in a step."""
    return lower_clauses(lowering, tree.trees(), place, _CLAUSES)


_CLAUSES = {
    "read": Clause("read", of_words(text)),
    "write": Clause("write", of_words(text)),
    "preset": Clause("preset", of_word(text)),
    "allow": Clause("allow", of_words(text)),
    "deny": Clause("deny", of_words(text)),
    "secrets": Clause("secrets", of_words(text)),
}
