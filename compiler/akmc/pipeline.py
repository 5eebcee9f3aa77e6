"""The compiler's main flow: source, tree, document, checks, frozen plan.

Start reading here. Every phase reports all that it finds; the next one begins only when there is no error.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from akm_specs.canonical import seal
from akm_specs.plan import PLAN_BYTES_MAX, Plan
from akmc.children import Child, Compile, read_children
from akmc.diagnostic import CompileFailed, Diagnostic, in_order
from akmc.document import Workflow
from akmc.freeze import freeze
from akmc.front_ends import REGISTRY_FILE, Read, gates_of, lower_any, read, registry_places
from akmc.lower_registry import lower_registry
from akmc.lowered import Lowered
from akmc.proof.answers import proof_of
from akmc.registry import Registry
from akmc.rules import all_rules
from akmc.rules.rule import Finding, Rule
from akmc.scripts import read_scripts
from akmc.shape import shaped
from akmc.source import Source, Span
from akmc.surroundings import Surroundings
from akmc.syntax import Parsed
from akmc.view import View, view_of

OTHER_DOCUMENT = "AKM1006"

#: Registries that are kept after they were read.
REGISTRIES_KEPT_MAX = 8
PLAN_TOO_LARGE = "AKM3025"
#: Findings of one rule in one source. Whoever has more has one cause for them, and looking for more takes time.
FINDINGS_OF_A_RULE_MAX = 100


@dataclass(frozen=True, slots=True)
class Compiled:
    """A frozen plan. `data` are the bytes of its file: the canonical JSON of `plan`, with its hash in it."""

    plan: Plan
    plan_hash: str
    data: bytes
    warnings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of one registry whose shape is right, and its gates that only look for files."""

    registry: Registry
    lowered: Lowered
    file_gates: Mapping[str, tuple[str, ...]]


def compile_workflow(source: Source, registry: Source | None) -> Compiled:
    """The frozen plan of the workflow in `source`, whose tools and agents stand in `registry`.

    Raises CompileFailed with every finding of the first phase that has an error. Reads no files but the
    child workflows that it names, the gates of a project in another format, and the scripts that tools name.
    """
    return freeze_workflow(read(source), registry)


def freeze_workflow(found: Read, registry: Source | None, nested_in: tuple[Path, ...] = ()) -> Compiled:
    """Like `compile_workflow`, for a source that is read already; `nested_in` are the workflows around it."""
    compiled, lowered = _frozen(found, registry, nested_in)
    return replace(compiled, warnings=_checked([*compiled.warnings, *_proof_findings(compiled.plan, lowered)]))


def freeze_unproved(found: Read, registry: Source | None) -> Compiled:
    """Like `freeze_workflow`, but whether the properties hold is not asked: `akmc verify` says more of that."""
    compiled, _ = _frozen(found, registry, ())
    return compiled


def _frozen(found: Read, registry: Source | None, nested_in: tuple[Path, ...]) -> tuple[Compiled, Lowered]:
    entries, lowered, workflow = _lowered(found, registry)
    children = read_children(workflow, lowered.source.path, nested_in, _child_compiler(registry))
    view = _view(workflow, entries, lowered.source, children)
    warnings = _checked(_all_findings(view, lowered, entries))
    return _sealed(freeze(view), lowered, warnings), lowered


def lower(found: Read, registry: Source | None) -> Workflow:
    """The document of a workflow, before any rule looks at it. Raises CompileFailed."""
    _, _, workflow = _lowered(found, registry)
    return workflow


def lower_entries(found: Read) -> Registry:
    """The document of a registry, before any rule looks at it. Raises CompileFailed."""
    return _entries(found).registry


def check_registry(found: Read) -> tuple[Diagnostic, ...]:
    """The warnings about a registry on its own. Raises CompileFailed with every finding."""
    return _checked(_registry_findings(_entries(found)))


def registry_beside(path: str) -> Source | None:
    """The registry of the workflow at `path`: in its folder or, for a project in another format, where that
    keeps its gates. None where there is none. Raises SourceUnreadable."""
    for place in registry_places(path):
        if place.exists():
            return Source.read(place)
    return None


def _sealed(plan: Plan, lowered: Lowered, warnings: tuple[Diagnostic, ...]) -> Compiled:
    """The compiled plan, unless it is larger than anybody reads."""
    data, plan_hash = seal(plan)
    if len(data) > PLAN_BYTES_MAX:
        message = f"the plan has {len(data)} bytes, children included, and may have {PLAN_BYTES_MAX}"
        advice = "move long texts to files, or run fewer children"
        raise CompileFailed([Diagnostic(PLAN_TOO_LARGE, "error", message, advice, lowered.source, Span(0, 0))])
    return Compiled(plan, plan_hash, data, warnings)


def _lowered(found: Read, registry: Source | None) -> tuple[tuple[Entries, ...], Lowered, Workflow]:
    """What a workflow stands beside, its document with places, and the document. Raises CompileFailed.

    A broken registry hides no fault of the workflow: both are told.
    """
    found = _of_kind(found, "workflow")
    failures: list[Diagnostic] = []
    entries: tuple[Entries, ...] = ()
    try:
        sources = [each for each in (registry, gates_of(found)) if each is not None]
        entries = tuple(map(_read_entries, sources))
    except CompileFailed as failed:
        failures += failed.diagnostics
    try:
        lowered = lower_any(found, _around(entries))
        workflow = shaped(lowered, Workflow)
    except CompileFailed as failed:
        raise CompileFailed([*failures, *failed.diagnostics]) from failed
    if failures:
        raise CompileFailed(failures)
    return entries, lowered, workflow


@lru_cache(maxsize=REGISTRIES_KEPT_MAX)
def _read_entries(source: Source) -> Entries:
    """The entries in `source`. Many workflows share one registry, and checking them would read it each time."""
    return _entries(read(source))


def _entries(found: Read) -> Entries:
    found = _of_kind(found, "registry")
    if isinstance(found, Parsed):
        lowered = lower_registry(found)
        return Entries(shaped(lowered, Registry), lowered, {})
    assert found.kind == "registry", found
    lowered = found.lower()
    return Entries(shaped(lowered, Registry), lowered, found.file_gates)


def _merged(entries: tuple[Entries, ...]) -> Registry:
    """All entries as one registry. What the first states, a later one does not state again."""
    if not entries:
        return Registry()
    first, *later = (each.registry for each in entries)
    known = {tool.name for tool in first.tools}
    tools = [tool for each in later for tool in each.tools if tool.name not in known]
    return Registry(
        tools=(*first.tools, *tools),
        agents=first.agents,
        groups=first.groups,
        repositories=first.repositories,
        defaults=first.defaults,
    )


def _around(entries: tuple[Entries, ...]) -> Surroundings:
    registry = _merged(entries)
    known = {tool.name for tool in registry.tools}
    gates = {name: paths for each in entries for name, paths in each.file_gates.items() if name not in known}
    return Surroundings(registry, gates)


def _child_compiler(registry: Source | None) -> Compile:
    """Compiles a child beside the registry of its own folder or, where that has none, of its parent."""

    def compile_(source: Source, nested_in: tuple[Path, ...]) -> tuple[Plan, str, tuple[Diagnostic, ...]]:
        shared = registry is not None and Path(registry.path).parent == Path(source.path).parent
        own = None if shared else registry_beside(source.path)
        compiled = freeze_workflow(read(source), own or registry, nested_in)
        return compiled.plan, compiled.plan_hash, compiled.warnings

    return compile_


def _view(workflow: Workflow, entries: tuple[Entries, ...], source: Source, children: Mapping[str, Child]) -> View:
    if not entries:
        sought = str(Path(source.path).with_name(REGISTRY_FILE))
        return view_of(workflow, Registry(), {}, children, registry_sought=sought)
    scripts: dict[str, Mapping[str, str | None]] = {}
    for each in reversed(entries):
        scripts |= read_scripts(each.registry, Path(each.lowered.source.path).parent)
    return view_of(workflow, _merged(entries), scripts, children)


def _all_findings(view: View, lowered: Lowered, entries: tuple[Entries, ...]) -> Iterator[Diagnostic]:
    yield from lowered.warnings
    yield from _workflow_findings(view, lowered)
    for each in entries:
        yield from _registry_findings(each)
    for child in view.children.values():
        yield from child.findings


def _workflow_findings(view: View, lowered: Lowered) -> Iterator[Diagnostic]:
    for alone in (True, False):
        found = [
            each
            for rule in all_rules()
            if rule.check is not None and rule.alone == alone
            for each in _placed(rule, rule.check(view), lowered)
        ]
        yield from found
        if found:
            return


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


def _of_kind(found: Read, wanted: Literal["workflow", "registry"]) -> Read:
    if found.kind == wanted:
        return found
    message = f"a {wanted} is needed here, and this file holds a {found.kind}"
    raise CompileFailed(
        [Diagnostic(OTHER_DOCUMENT, "error", message, "name another file", found.source, Span(0, 0))]
    )
