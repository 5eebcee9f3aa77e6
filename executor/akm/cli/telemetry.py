"""`--telemetry`: traces and metrics of what a command drives, sent as the environment says."""

import argparse
import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from akm.cli.reporting import UsageFault
from akm.cli.structured import now
from akm.engine.watcher import Watcher

#: What the extra `otel` brings, as it is imported.
_EXTRA = "opentelemetry"
#: Variables that end so hold tokens, and some warnings repeat them.
_TOKENS_IN = "_HEADERS"


@contextmanager
def watching(arguments: argparse.Namespace) -> Iterator[Watcher]:
    """A watcher that sends what it sees, where --telemetry asks for one. Raises UsageFault, TelemetryRefused."""
    if not arguments.telemetry:
        yield Watcher()
        return
    try:
        from akm.telemetry.export import sent
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != _EXTRA:
            raise
        raise UsageFault(f"--telemetry needs {error.name}: install `akm[otel]`, not `akm` alone") from error
    with _told(arguments.log_format), sent(os.environ) as telemetry:
        yield telemetry.watcher()


@contextmanager
def _told(log_format: str) -> Iterator[None]:
    """What cannot be sent is told on standard error, a line each and without tracebacks. It fails no command."""
    log, lines = logging.getLogger(_EXTRA), _Lines(log_format)
    propagated, log.propagate = log.propagate, False
    log.addHandler(lines)
    try:
        yield
    finally:
        log.removeHandler(lines)
        log.propagate = propagated


class _Lines(logging.Handler):
    """Warnings and errors, in the form that standard error has. A reader that went away is no fault."""

    def __init__(self, log_format: str) -> None:
        super().__init__(logging.WARNING)
        self._json = log_format == "json"
        headers = ",".join(text for name, text in os.environ.items() if name.endswith(_TOKENS_IN))
        parts = (part.strip() for each in headers.split(",") for part in (each, each.partition("=")[2]))
        self._hidden = sorted(filter(None, parts), key=len, reverse=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Write one."""
        message = " ".join(record.getMessage().split())
        for secret in self._hidden:
            message = message.replace(secret, "[secret]")
        line = f"akm: telemetry: {message}"
        if self._json:
            document = {"time": now(), "level": "warning", "event": "telemetry", "message": message}
            line = json.dumps(document, ensure_ascii=False)
        with suppress(OSError, ValueError):
            print(line, file=sys.stderr, flush=True)
