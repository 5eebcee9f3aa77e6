"""From the tree of a registry to the document that `registry.Registry` checks."""

from akm_specs.canonical import Json
from akmc.document import Place
from akmc.lower_clauses import Clause, lower_clauses, of_word, of_words, said
from akmc.lower_scope import lower_scope
from akmc.lower_words import integer, size_bytes, span_ms, text
from akmc.lowered import Lowered, Lowering
from akmc.syntax import Parsed, Tree


def lower_registry(parsed: Parsed) -> Lowered:
    """The entries of a registry. Raises CompileFailed."""
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


def _reject(lowering: Lowering, tree: Tree, place: Place) -> Json:
    exit_code, code = tree.words()
    lowering.mark((*place, "exit"), exit_code.span)
    lowering.mark((*place, "code"), code.span)
    return {"exit": integer(lowering, exit_code), "code": code.text}


def _defaults(lowering: Lowering, tree: Tree, place: Place) -> Json:
    return lower_clauses(lowering, tree.trees(), place, _DEFAULTS)


_ENTRIES = {
    "tool": Clause("tools", _entry, often=True),
    "agent": Clause("agents", _entry, often=True),
    "group": Clause("groups", _group, often=True),
    "repository": Clause("repositories", _entry, often=True),
    "defaults": Clause("defaults", _defaults),
}

_DEFAULTS = {
    "default_agent": Clause("agent", of_word(text)),
    "default_judge": Clause("judge", of_word(text)),
}

_CLAUSES = {
    "argv": Clause("argv", of_words(text)),
    "python": Clause("python", of_word(text)),
    "reserved": Clause("reserved", said),
    "session": Clause("session", said),
    "reject": Clause("rejects", _reject, often=True),
    "effect": Clause("effect", of_word(text)),
    "receipt": Clause("receipt", of_words(text)),
    "env": Clause("env", of_words(text)),
    "directory": Clause("directory", of_word(text)),
    "output_max": Clause("output_bytes_max", of_word(size_bytes)),
    "timeout": Clause("timeout_ms", of_word(span_ms)),
    "agent_tool": Clause("tool", of_word(text)),
    "model": Clause("model", of_word(text)),
    "provider": Clause("provider", of_word(text)),
    "scope": Clause("scope", lower_scope),
    "remote": Clause("remote", of_word(text)),
}
