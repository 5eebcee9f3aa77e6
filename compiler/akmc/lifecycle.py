"""From the source of a lifecycle to its compiled table, checked whole before anything uses it."""

from collections.abc import Iterable
from typing import cast

from akm_specs.canonical import seal
from akm_specs.lifecycle import Lifecycle
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.lower_lifecycle import lower_lifecycle
from akmc.lowered import Lowered
from akmc.parse import parse
from akmc.rules import all_rules
from akmc.source import Source
from akmc.syntax import Parsed


def compile_lifecycle(source: Source) -> bytes:
    """The sealed table (`akm.lifecycle.v1`) of the lifecycle in `source`.

    `source` holds a lifecycle, which is the caller's to know. Raises CompileFailed with every finding.
    """
    return freeze_lifecycle(parse(source))


def freeze_lifecycle(parsed: Parsed) -> bytes:
    """The sealed table of a lifecycle that is parsed. Raises CompileFailed with every finding."""
    lowered = lower_lifecycle(parsed)
    table = cast(Lifecycle, lowered.document)
    findings = [*_findings(table, lowered)]
    if findings:
        raise CompileFailed(findings)
    moves = sorted(table["moves"], key=lambda move: (move["trigger"], move["source"]))
    data, _ = seal({**table, "moves": moves})
    return data


def _findings(table: Lifecycle, lowered: Lowered) -> Iterable[Diagnostic]:
    for rule in all_rules():
        if rule.check_lifecycle is not None:
            for found in rule.check_lifecycle(table):
                span = lowered.span(found.place)
                yield Diagnostic(rule.code, rule.severity, found.message, found.help, lowered.source, span)
