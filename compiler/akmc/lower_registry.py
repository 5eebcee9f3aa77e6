"""From the tree of a registry to the document that `document.Registry` checks."""

from akm_specs.canonical import Json
from akmc.document import Place
from akmc.lower_clauses import Clause, lower_clauses, of_word, of_words
from akmc.lower_words import size_bytes, span_ms, text
from akmc.lowered import Lowered, Lowering
from akmc.syntax import Parsed, Tree


def lower_registry(parsed: Parsed) -> Lowered:
    """The tools, agents and groups of a registry. Raises CompileFailed."""
    assert parsed.kind == "registry", parsed.kind
    lowering = Lowering(parsed.source)
    lowering.mark((), parsed.tree.span)
    return lowering.finish(lower_clauses(lowering, parsed.tree.trees(), (), _ENTRIES))


def _entry(lowering: Lowering, tree: Tree, place: Place) -> Json:
    (name,) = tree.words()
    lowering.mark((*place, "name"), name.span)
    return {"name": name.text, **lower_clauses(lowering, tree.trees(), place, _CLAUSES)}


def _group(lowering: Lowering, tree: Tree, place: Place) -> Json:
    name, *members = tree.words()
    lowering.mark((*place, "name"), name.span)
    for at, member in enumerate(members):
        lowering.mark((*place, "members", at), member.span)
    return {"name": name.text, "members": [member.text for member in members]}


_ENTRIES = {
    "tool": Clause("tools", _entry, often=True),
    "agent": Clause("agents", _entry, often=True),
    "group": Clause("groups", _group, often=True),
}

_CLAUSES = {
    "argv": Clause("argv", of_words(text)),
    "effect": Clause("effect", of_word(text)),
    "receipt": Clause("receipt", of_words(text)),
    "env": Clause("env", of_words(text)),
    "directory": Clause("directory", of_word(text)),
    "output_max": Clause("output_bytes_max", of_word(size_bytes)),
    "timeout": Clause("timeout_ms", of_word(span_ms)),
    "agent_tool": Clause("tool", of_word(text)),
    "model": Clause("model", of_word(text)),
    "provider": Clause("provider", of_word(text)),
}
