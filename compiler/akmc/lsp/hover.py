"""What an editor shows about a place: what a finding means, what a name stands for, and which bounds hold there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from akm_specs.plan import Plan
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.explain import UnknownCode, explained
from akmc.lsp.bounds import bounds_table
from akmc.lsp.buffers import Buffers
from akmc.lsp.names import Definition, definition_of, mention_at, mentions_of, tree_of
from akmc.lsp.symbols import Mention
from akmc.pipeline import compile_workflow
from akmc.source import Source, SourceUnreadable, Span
from akmc.syntax import Tree

#: Lines of a definition that are shown.
EXCERPT_LINES_MAX = 12

#: The rules of the grammar that bound a run or a step.
BOUNDING = frozenset(
    {
        *("limits", "attempts", "timeout", "retry", "recover", "max", "max_loops", "assign", "parallel", "items"),
        *("tolerate", "min", "producers", "degraded", "remediate"),
    }
)


@dataclass(frozen=True, slots=True)
class Hover:
    """What is shown, in Markdown, and what it is about."""

    markdown: str
    span: Span


def hover_at(buffers: Buffers, findings: Iterable[Diagnostic], path: str, offset: int) -> Hover | None:
    """What there is to say about the place `offset` of a file; `findings` are what was last found in it.

    Raises SourceUnreadable.
    """
    source = buffers.source(path)
    said = [
        *_findings(findings, source, offset),
        *_name(buffers, source, offset),
        *_bounds(buffers, source, offset),
    ]
    if not said:
        return None
    smallest = min((each.span for each in said), key=lambda span: span.end - span.start)
    return Hover("\n\n---\n\n".join(each.markdown for each in said), smallest)


def _findings(findings: Iterable[Diagnostic], source: Source, offset: int) -> Iterator[Hover]:
    for found in findings:
        if found.source == source and found.span.start <= offset <= found.span.end:
            yield Hover(_meaning(found), found.span)


def _meaning(found: Diagnostic) -> str:
    try:
        return explained(found.code)
    except UnknownCode:
        return found.message


def _name(buffers: Buffers, source: Source, offset: int) -> Iterator[Hover]:
    mention = mention_at(mentions_of(source), offset)
    definition = None if mention is None else definition_of(buffers, source, mention)
    if mention is None or definition is None:
        return
    plan = _plan(buffers, source)
    bounds = "" if plan is None else bounds_table(_part(plan, mention))
    yield Hover("\n\n".join(filter(None, [_excerpt(definition), bounds])), mention.span)


def _part(plan: Plan, mention: Mention) -> object:
    match mention.kind:
        case "step":
            return next((step for step in plan["steps"] if step["name"] == mention.name), None)
        case "tool":
            return plan["tools"].get(mention.name)
        case _:
            return None


def _excerpt(definition: Definition) -> str:
    """The text of a definition; of a step only its first line, since it stands in the same file."""
    whole = definition.mention.clause
    lines = definition.source.text[whole.start : whole.end].split("\n")
    shown = lines[:1] if definition.mention.kind == "step" else lines[:EXCERPT_LINES_MAX]
    return "\n".join(["```akm", *shown, *(["..."] if len(shown) < len(lines) else []), "```"])


def _bounds(buffers: Buffers, source: Source, offset: int) -> Iterator[Hover]:
    """On a clause that bounds a step, every bound of the step; inside `limits`, every budget of the run."""
    inside = _trees_at(tree_of(source), offset)
    bounding = next((tree for tree in inside if tree.rule in BOUNDING), None)
    plan = None if bounding is None else _plan(buffers, source)
    if bounding is None or plan is None:
        return
    step = next((next(tree.words()).text for tree in inside if tree.rule == "step"), None)
    stated = plan["limits"] if step is None else next(each for each in plan["steps"] if each["name"] == step)
    yield Hover(bounds_table(stated), bounding.span)


def _trees_at(document: Tree | None, offset: int) -> list[Tree]:
    """The trees in which `offset` stands, from the outermost on."""
    found: list[Tree] = []
    within = document
    while within is not None:
        found.append(within)
        within = next((tree for tree in within.trees() if tree.span.start <= offset <= tree.span.end), None)
    return found


def _plan(buffers: Buffers, source: Source) -> Plan | None:
    try:
        return compile_workflow(source, buffers.registry_beside(source.path)).plan
    except (CompileFailed, SourceUnreadable):
        return None
