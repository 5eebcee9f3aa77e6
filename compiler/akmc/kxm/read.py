"""Reading what `kxm` projects hold: a workflow, or the registry of gates."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from akm_specs.canonical import Json, JsonObject
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.kxm import keys
from akmc.kxm.findings import GATE_KEYS, NO_SCHEMA
from akmc.kxm.lower import lower_kxm
from akmc.lowered import Lowered, Lowering
from akmc.rules import all_rules
from akmc.source import Source, Span
from akmc.surroundings import Surroundings
from akmc.yaml import findings
from akmc.yaml.nodes import Mapping
from akmc.yaml.read import as_it_was_given, read_yaml
from akmc.yaml.shape import Places, plain, shaped

#: Where a project keeps its gates, seen from its workflows.
GATES_FILES = ("gates.yaml", "../gates.yaml")


@dataclass(frozen=True, slots=True)
class KxmWorkflow:
    """A workflow whose keys are right. `name` is that of its file."""

    source: Source
    name: str
    written: keys.Workflow
    places: Places
    kind: Literal["workflow"] = "workflow"

    def lower(self, around: Surroundings) -> Lowered:
        """Its document. Raises CompileFailed with every fault that only this format can have."""
        found = list(self._faults(around))
        if found:
            raise CompileFailed(found)
        return lower_kxm(self.written, self.places, self.name, around)

    def _faults(self, around: Surroundings) -> Iterator[Diagnostic]:
        for rule in all_rules():
            for fault in () if rule.check_kxm is None else rule.check_kxm(self.written, around.registry):
                span = self.places.value(fault.place)
                yield Diagnostic(rule.code, rule.severity, fault.message, fault.help, self.source, span)


@dataclass(frozen=True, slots=True)
class KxmGates:
    """A registry of gates whose keys are right."""

    source: Source
    written: keys.Gates
    places: Places
    kind: Literal["registry"] = "registry"

    def lower(self) -> Lowered:
        """The gates that start something, as the tools of a registry. Raises CompileFailed."""
        lowering = Lowering(self.source)
        lowering.mark((), self.places.value(()))
        tools: list[JsonObject] = []
        for name, gate in self.written.gates.items():
            for message, advice in _faults(gate):
                lowering.report(GATE_KEYS, self.places.value(("gates", name)), f"gate `{name}`: {message}", advice)
            if gate.kind == "artifacts-exist":
                continue
            lowering.mark(("tools", len(tools)), self.places.key(("gates", name)))
            reserved = gate.kind == "reserved"
            tools.append({"name": name, "reserved": True} if reserved else _command(name, gate))
        return lowering.finish({"tools": tools})

    @property
    def file_gates(self) -> dict[str, tuple[str, ...]]:
        """The gates that only look for files, by name."""
        gates = self.written.gates.items()
        return {name: tuple(gate.paths or ()) for name, gate in gates if gate.kind == "artifacts-exist"}


def read_kxm(source: Source, name: str) -> KxmWorkflow | KxmGates:
    """The workflow called `name`, or the gates, in `source`. Raises CompileFailed with every fault of its form."""
    faults = as_it_was_given(source)
    if len(source.text.encode()) > keys.DOCUMENT_BYTES_MAX:
        place, most = Span(0, 0), keys.DOCUMENT_BYTES_MAX
        faults.append(findings.limit(source, place, "bytes in one file", most, "split the workflow"))
    if faults:
        raise CompileFailed(faults)
    root = read_yaml(source)
    document, places = _written_out(plain(root, keys.NUMBERS)), Places(source, root)
    if _schema(document) == keys.GATES_SCHEMA:
        return KxmGates(source, shaped(places, document, keys.Gates), places)
    if isinstance(root, Mapping) and _schema(document) != keys.WORKFLOW_SCHEMA:
        raise CompileFailed([_other_schema(source, places, _schema(document))])
    return KxmWorkflow(source, name, shaped(places, document, keys.Workflow), places)


def gates_near(path: str) -> Source | None:
    """The registry of gates of the project whose workflow is at `path`, if it has one. Raises SourceUnreadable."""
    for place in GATES_FILES:
        found = Path(path).parent / place
        if found.is_file():
            return Source.read(found)
    return None


def _written_out(document: Json) -> Json:
    """`document` with every target that stands alone as a transition."""
    steps = document.get("steps") if isinstance(document, dict) else None
    for step in steps if isinstance(steps, list) else ():
        lines = step.get("on") if isinstance(step, dict) else None
        if isinstance(lines, dict):
            lines.update({outcome: {"target": line} for outcome, line in lines.items() if isinstance(line, str)})
    return document


def _schema(document: Json) -> Json:
    return document.get("schema") if isinstance(document, dict) else None


def _other_schema(source: Source, places: Places, found: Json) -> Diagnostic:
    known = f"`schema: {keys.WORKFLOW_SCHEMA}` or `schema: {keys.GATES_SCHEMA}`"
    what = "the file names no schema" if found is None else f"no schema that is read here is called `{found}`"
    return Diagnostic(NO_SCHEMA, "error", what, f"write {known}", source, places.value(("schema",)))


def _command(name: str, gate: keys.Gate) -> JsonObject:
    return {"name": name, "argv": list(gate.argv or ()), "timeout_ms": gate.timeoutMs}


def _faults(gate: keys.Gate) -> Iterator[tuple[str, str]]:
    """What is missing beside the gate's kind, and what does not go with it."""
    allowed = {"command": {"argv", "timeoutMs"}, "artifacts-exist": {"paths"}, "reserved": set[str]()}[gate.kind]
    written = vars(gate).keys() - {"kind"}
    for member in sorted(allowed - written):
        yield f"`kind: {gate.kind}` needs `{member}`", f"add `{member}`"
    for member in sorted(written - allowed - ({"cwd"} if gate.kind == "command" else set())):
        yield f"`{member}` means nothing beside `kind: {gate.kind}`", f"remove `{member}`"
    program = (gate.argv or ("",))[0]
    if "\\" in program or ("/" in program and not program.startswith("/")):
        yield f"`{program}` is a path relative to who knows where", "name a program, or write its whole path"
