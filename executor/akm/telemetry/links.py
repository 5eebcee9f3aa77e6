"""The way from one trace of a run to the next: the place of the last one, kept beside the journal.

It is in the form of the header `traceparent`, in a file of the run's folder. No hash covers it, and without it a
resume is only not linked.
"""

from contextlib import suppress
from pathlib import Path

from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

FILE = "traceparent"
_FORM = TraceContextTextMapPropagator()


def earlier(folder: Path) -> list[Link]:
    """A link to the span of the driver before this one, where it left one that can be read."""
    try:
        kept = (folder / FILE).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return []
    found = get_current_span(_FORM.extract({FILE: kept}, Context())).get_span_context()
    return [Link(found)] if found.is_valid else []


def keep(folder: Path, span: Span) -> None:
    """Let the next driver find `span`. Where that cannot be written, the run goes on all the same."""
    carrier: dict[str, str] = {}
    _FORM.inject(carrier, set_span_in_context(span, Context()))
    if carrier:
        with suppress(OSError):
            new = folder / f"{FILE}.new"
            new.write_text(carrier[FILE] + "\n", encoding="ascii")
            new.replace(folder / FILE)
