"""What a report shows: findings up to a number, and what it leaves out beyond that."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from akmc.diagnostic import Diagnostic, in_order
from akmc.reports import FINDINGS_MAX
from akmc.source import SourceUnreadable

if TYPE_CHECKING:
    from akmc.lint import Linted


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How much a report does not show."""

    errors: int
    warnings: int
    unreadable: int

    def __str__(self) -> str:
        """What to tell the reader; empty when everything is shown."""
        counts = [
            _counted(self.errors, "error"),
            _counted(self.warnings, "warning"),
            _counted(self.unreadable, "unreadable file"),
        ]
        named = [count for count in counts if count]
        return f"left out: {', '.join(named)}; --max-findings shows more" if named else ""


@dataclass(frozen=True, slots=True)
class Report:
    """What is shown of checking files, in the order of the files and of their texts.

    `clean` are the files that were read and have no error, among the findings left out neither.
    """

    clean: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    unreadable: tuple[SourceUnreadable, ...]
    left_out: LeftOut


def report_of(linted: "Linted", findings_max: int = FINDINGS_MAX) -> Report:
    """At most `findings_max` findings, errors before warnings, and at most as many unreadable files."""
    errors = [found for found in linted.findings if found.severity == "error"]
    warnings = [found for found in linted.findings if found.severity == "warning"]
    shown_errors = errors[:findings_max]
    shown_warnings = warnings[: findings_max - len(shown_errors)]
    unreadable = linted.unreadable[:findings_max]
    left_out = LeftOut(
        errors=len(errors) - len(shown_errors),
        warnings=len(warnings) - len(shown_warnings),
        unreadable=len(linted.unreadable) - len(unreadable),
    )
    faulty = {found.path for found in errors} | {error.path for error in linted.unreadable}
    clean = tuple(path for path in linted.files if path not in faulty)
    return Report(clean, in_order([*shown_errors, *shown_warnings]), unreadable, left_out)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}" if number else ""
