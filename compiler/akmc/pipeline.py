"""The compiler's main flow: source, tree, document, checks, frozen plan.

Start reading here. Every phase reports all that it finds; the next one begins only when there is no error.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeVar

from akm_specs.canonical import seal
from akm_specs.plan import PLAN_BYTES_MAX, Plan
from akmc.children import Child, Compile, read_children
from akmc.diagnostic import CompileFailed, Diagnostic, in_order
from akmc.document import Workflow
from akmc.freeze import freeze
from akmc.lower_registry import lower_registry
from akmc.lower_workflow import lower_workflow
from akmc.lowered import Lowered
from akmc.parse import parse
from akmc.proof.answers import proof_of
from akmc.registry import Registry
from akmc.rules import all_rules
from akmc.rules.rule import Finding, Rule
from akmc.scripts import read_scripts
from akmc.shape import shaped
from akmc.source import Source, Span
from akmc.syntax import Parsed
from akmc.view import View, view_of

#: The registry that a workflow uses if nothing else is said, in the workflow's own folder.
REGISTRY_FILE = "registry.akm"
OTHER_DOCUMENT = "AKM1006"

#: Registries that are kept after they were read.
REGISTRIES_KEPT_MAX = 8
PLAN_TOO_LARGE = "AKM3025"
#: Findings of one rule in one source. Whoever has more has one cause for them, and looking for more takes time.
FINDINGS_OF_A_RULE_MAX = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A frozen plan. `data` are the bytes of its file: the canonical JSON of `plan`, with its hash in it."""

    plan: Plan
    plan_hash: str
    data: bytes
    warnings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """A registry whose shape is right."""

    registry: Registry
    lowered: Lowered


def compile_workflow(source: Source, registry: Source | None) -> Compiled:
    """The frozen plan of the workflow in `source`, whose tools and agents stand in `registry`.

    Raises CompileFailed with every finding of the first phase that has an error. Reads no files but the
    child workflows that it names, and the scripts that the registry's tools name.
    """
    return freeze_workflow(parse(source), registry)


def freeze_workflow(parsed: Parsed, registry: Source | None, nested_in: tuple[Path, ...] = ()) -> Compiled:
    """Like `compile_workflow`, for a source that is parsed already; `nested_in` are the workflows around it."""
    compiled, lowered = _frozen(parsed, registry, nested_in)
    return replace(compiled, warnings=_checked([*compiled.warnings, *_proof_findings(compiled.plan, lowered)]))


def freeze_unproved(parsed: Parsed, registry: Source | None) -> Compiled:
    """Like `freeze_workflow`, but whether the properties hold is not asked: `akmc verify` says more of that."""
    compiled, _ = _frozen(parsed, registry, ())
    return compiled


def _frozen(parsed: Parsed, registry: Source | None, nested_in: tuple[Path, ...]) -> tuple[Compiled, Lowered]:
    lowered = lower_workflow(_of_kind(parsed, "workflow"))
    workflow, entries = _both(lambda: shaped(lowered, Workflow), lambda: _entries(registry))
    children = read_children(workflow, lowered.source.path, nested_in, _child_compiler(registry))
    view = _view(workflow, entries, lowered.source, children)
    warnings = _checked(_all_findings(view, lowered, entries))
    return _sealed(freeze(view), lowered, warnings), lowered


def check_registry(parsed: Parsed) -> tuple[Diagnostic, ...]:
    """The warnings about a registry on its own. Raises CompileFailed with every finding."""
    lowered = lower_registry(_of_kind(parsed, "registry"))
    return _checked(_registry_findings(Entries(shaped(lowered, Registry), lowered)))


def registry_beside(path: str) -> Source | None:
    """The registry in the folder of the workflow at `path`; None where there is none. Raises SourceUnreadable."""
    beside = Path(path).with_name(REGISTRY_FILE)
    return Source.read(beside) if beside.exists() else None


def _sealed(plan: Plan, lowered: Lowered, warnings: tuple[Diagnostic, ...]) -> Compiled:
    """The compiled plan, unless it is larger than anybody reads."""
    data, plan_hash = seal(plan)
    if len(data) > PLAN_BYTES_MAX:
        message = f"the plan has {len(data)} bytes, children included, and may have {PLAN_BYTES_MAX}"
        advice = "move long texts to files, or run fewer children"
        raise CompileFailed([Diagnostic(PLAN_TOO_LARGE, "error", message, advice, lowered.source, Span(0, 0))])
    return Compiled(plan, plan_hash, data, warnings)


def _entries(source: Source | None) -> Entries | None:
    return None if source is None else _read_entries(source)


@lru_cache(maxsize=REGISTRIES_KEPT_MAX)
def _read_entries(source: Source) -> Entries:
    """The entries in `source`. Many workflows share one registry, and checking them would read it each time."""
    lowered = lower_registry(_of_kind(parse(source), "registry"))
    return Entries(shaped(lowered, Registry), lowered)


def _child_compiler(registry: Source | None) -> Compile:
    """Compiles a child beside the registry of its own folder or, where that has none, of its parent."""

    def compile_(source: Source, nested_in: tuple[Path, ...]) -> tuple[Plan, str, tuple[Diagnostic, ...]]:
        shared = registry is not None and Path(registry.path).parent == Path(source.path).parent
        own = None if shared else registry_beside(source.path)
        compiled = freeze_workflow(parse(source), own or registry, nested_in)
        return compiled.plan, compiled.plan_hash, compiled.warnings

    return compile_


def _view(workflow: Workflow, entries: Entries | None, source: Source, children: Mapping[str, Child]) -> View:
    if entries is None:
        sought = str(Path(source.path).with_name(REGISTRY_FILE))
        return view_of(workflow, Registry(), {}, children, registry_sought=sought)
    folder = Path(entries.lowered.source.path).parent
    return view_of(workflow, entries.registry, read_scripts(entries.registry, folder), children)


def _all_findings(view: View, lowered: Lowered, entries: Entries | None) -> Iterator[Diagnostic]:
    for rule in all_rules():
        if rule.check is not None:
            yield from _placed(rule, rule.check(view), lowered)
    if entries is not None:
        yield from _registry_findings(entries)
    for child in view.children.values():
        yield from child.findings


def _proof_findings(plan: Plan, lowered: Lowered) -> Iterator[Diagnostic]:
    if "properties" not in plan:
        return
    proof = proof_of(plan)
    for rule in all_rules():
        if rule.check_proof is not None:
            yield from _placed(rule, rule.check_proof(proof), lowered)


def _registry_findings(entries: Entries) -> Iterator[Diagnostic]:
    for rule in all_rules():
        if rule.check_registry is not None:
            yield from _placed(rule, rule.check_registry(entries.registry), entries.lowered)


def _placed(rule: Rule, findings: Iterable[Finding], lowered: Lowered) -> Iterator[Diagnostic]:
    for count, found in enumerate(findings):
        span = lowered.span(found.place)
        if count == FINDINGS_OF_A_RULE_MAX:
            message = f"there are more than {count} findings of this kind, and those that follow are left out"
            yield Diagnostic(rule.code, rule.severity, message, "mend the first ones", lowered.source, span)
            return
        yield Diagnostic(rule.code, rule.severity, found.message, found.help, lowered.source, span)


def _checked(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings, if all of them are warnings. Raises CompileFailed with all of them otherwise."""
    found = in_order(findings)
    if any(each.severity == "error" for each in found):
        raise CompileFailed(found)
    return found


def _both(first: Callable[[], T], second: Callable[[], "Entries | None"]) -> "tuple[T, Entries | None]":
    """The results of both. Raises CompileFailed with the findings of both, where either has some."""
    failures: list[Diagnostic] = []
    try:
        left = first()
    except CompileFailed as failed:
        failures += failed.diagnostics
    try:
        right = second()
    except CompileFailed as failed:
        failures += failed.diagnostics
    if failures:
        raise CompileFailed(failures)
    return left, right


def _of_kind(parsed: Parsed, wanted: Literal["workflow", "registry"]) -> Parsed:
    if parsed.kind == wanted:
        return parsed
    message = f"a {wanted} is needed here, and this file holds a {parsed.kind}"
    span = Span(parsed.tree.span.start, parsed.tree.span.start)
    raise CompileFailed([Diagnostic(OTHER_DOCUMENT, "error", message, "name another file", parsed.source, span)])
