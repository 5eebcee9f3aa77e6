"""Reading an akm Markdown workflow: its front matter, and the section of each of its steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from akm_specs.canonical import Json
from akm_specs.reader import Place
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.lowered import Lowered
from akmc.markdown import findings, keys
from akmc.markdown.body import Section, front_matter, sections
from akmc.markdown.extra_params import refused_keys
from akmc.markdown.lower import lower_markdown
from akmc.markdown.timeouts import TIMEOUT_MS_MAX, milliseconds
from akmc.source import Source, Span
from akmc.surroundings import Surroundings
from akmc.wording import instead_of
from akmc.yaml.nodes import Mapping, Scalar
from akmc.yaml.read import as_it_was_given, read_yaml
from akmc.yaml.shape import Places, plain, shaped

FORM = "AKM1005"


@dataclass(frozen=True, slots=True)
class MarkdownWorkflow:
    """A workflow whose keys are right, and whose steps have their sections. `name` is that of its file."""

    source: Source
    name: str
    written: keys.FrontMatter
    sections: dict[str, Section]
    places: Places
    kind: Literal["workflow"] = "workflow"

    def lower(self, around: Surroundings) -> Lowered:
        """Its document. Raises CompileFailed."""
        return lower_markdown(self.written, self.sections, self.places, self.name, around)


def read_markdown(source: Source, name: str) -> MarkdownWorkflow:
    """The workflow called `name` in `source`. Raises CompileFailed with every fault of its form."""
    faults = as_it_was_given(source)
    if faults:
        raise CompileFailed(faults)
    stretch, body = front_matter(source)
    root = read_yaml(source, stretch)
    if isinstance(root, Scalar) and not root.text:
        root = Mapping((), root.span)  # a front matter without anything in it lacks its steps
    places = Places(source, root)
    written = shaped(places, _written_out(plain(root)), keys.FrontMatter, keys.FREE)
    found = list(sections(source, body))
    steps = _Steps(source, places, written, found)
    faults = list(steps.faults())
    if faults:
        raise CompileFailed(faults)
    return MarkdownWorkflow(source, name, written, {each.heading.text: each for each in found}, places)


def _written_out(document: Json) -> Json:
    """`document` with a single stamp as a list of one."""
    if isinstance(document, dict) and isinstance(document.get("verified"), dict):
        document["verified"] = [document["verified"]]
    return document


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of the front matter beside the sections of the body."""

    source: Source
    places: Places
    written: keys.FrontMatter
    sections: list[Section]

    def faults(self) -> Iterator[Diagnostic]:
        """Whatever of the two has no counterpart in the other, and keys that do not go together."""
        for at, step in enumerate(self.written.steps):
            yield from self._twice(at)
            yield from self._apart(at, step)
            yield from self._without_instructions(at, step)
            yield from self._forms(at, step)
        yield from self._worded(self.written.defaults, ("defaults",))
        yield from self._headings()

    def _forms(self, at: int, step: keys.Step) -> Iterator[Diagnostic]:
        """Values whose form the keys do not say."""
        here: Place = ("steps", at)
        if step.unit is not None:
            yield from self._worded(step.unit, (*here, "unit"))
        if step.map is not None:
            yield from self._worded(step.map.unit, (*here, "map", "unit"))
        for index, branch in enumerate(step.route.when if step.route is not None else ()):
            if branch.match == "":
                span = self.places.value((*here, "route", "when", index, "match"))
                yield self._error(
                    FORM, span, f"step `{step.id}`: `match` is empty", "write the value that is picked by"
                )

    def _worded(self, unit: keys.Unit | keys.Defaults, place: Place) -> Iterator[Diagnostic]:
        if unit.timeout is not None and milliseconds(unit.timeout) is None:
            advice = f"write `90s`, `10m`, `500ms`, a count of milliseconds up to {TIMEOUT_MS_MAX}, or `none`"
            yield self._error(FORM, self.places.value((*place, "timeout")), "this is no timeout", advice)
        extra = None if unit.llm is None else unit.llm.extra_params
        for key, why in refused_keys(extra or {}):
            span = self.places.value((*place, "llm", "extra_params"))
            yield self._error(findings.BAD_EXTRA, span, f"`{key}` {why}", f"remove `{key}`")

    def _twice(self, at: int) -> Iterator[Diagnostic]:
        name = self.written.steps[at].id
        if any(step.id == name for step in self.written.steps[:at]):
            span = self.places.value(("steps", at, "id"))
            yield self._error("AKM2001", span, f"a step is called `{name}` already", "give it another name")

    def _apart(self, at: int, step: keys.Step) -> Iterator[Diagnostic]:
        kinds = [kind for kind in ("map", "route") if getattr(step, kind) is not None]
        unit = [] if step.unit is None else ["unit"]
        inputs = [] if step.inputs is None else ["inputs"]
        for pair in (kinds, kinds[:1] + unit, ["route", *inputs] if "route" in kinds else []):
            if len(pair) > 1:
                first, second = pair[:2]
                place = self.places.value(("steps", at))
                inside = "write it inside of `map`" if pair == ["map", "unit"] else f"remove `{second}`"
                message = f"step `{step.id}`: `{second}` means nothing beside `{first}`"
                yield self._error(findings.KEYS_APART, place, message, inside)

    def _without_instructions(self, at: int, step: keys.Step) -> Iterator[Diagnostic]:
        if step.route is not None:
            return
        section = next((each for each in self.sections if each.heading.text == step.id), None)
        advice = f"write what the step is to do below a heading `## {step.id}`"
        if section is None:
            span = self.places.value(("steps", at))
            message = f"step `{step.id}` has no section `## {step.id}` in the body"
            yield self._error(findings.NO_INSTRUCTIONS, span, message, advice)
        elif not section.instructions:
            message = f"the section of step `{step.id}` holds no instructions"
            yield self._error(findings.NO_INSTRUCTIONS, section.heading.span, message, advice)

    def _headings(self) -> Iterator[Diagnostic]:
        names = [step.id for step in self.written.steps]
        seen: set[str] = set()
        for section in self.sections:
            name, span = section.heading.text, section.heading.span
            if name not in names:
                advice = instead_of(name, names, "steps") + "; a heading within a section has three marks or more"
                yield self._error(findings.NO_SUCH_STEP, span, f"no step is called `{name}`", advice)
            elif name in seen:
                message = f"step `{name}` has a section already"
                yield self._error(findings.SECTION_TWICE, span, message, "write one section a step")
            if section.second_rubric is not None:
                message = f"step `{name}` has a `### gate` already"
                yield self._error(
                    findings.SECTION_TWICE, section.second_rubric.span, message, "write one rubric a step"
                )
            seen.add(name)

    def _error(self, code: str, span: Span, message: str, advice: str) -> Diagnostic:
        return Diagnostic(code, "error", message, advice, self.source, span)
