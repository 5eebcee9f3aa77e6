"""A watcher that makes spans and metrics of what is committed."""

from collections.abc import Sequence
from pathlib import Path

from opentelemetry.context import Context, get_current
from opentelemetry.metrics import MeterProvider, get_meter_provider
from opentelemetry.trace import Tracer, TracerProvider, get_tracer_provider

from akm.engine.watcher import Watcher
from akm.journal.history import OpenRun
from akm.kernel.event import Event
from akm.kernel.state import RunState
from akm.telemetry.meters import Meters
from akm.telemetry.run_spans import RunSpans
from akm_specs import __version__


class Telemetry:
    """Where traces and metrics of runs go: to the providers of this process, unless others are named."""

    def __init__(self, traces: TracerProvider | None = None, metrics: MeterProvider | None = None) -> None:
        """A provider that is None is the one that the host program has set for all of its libraries."""
        self._tracer = (traces or get_tracer_provider()).get_tracer("akm", __version__)
        self._meters = Meters((metrics or get_meter_provider()).get_meter("akm", __version__))

    def watcher(self) -> Watcher:
        """Of one run and its children. The run's span belongs to the span that is current now, if one is."""
        return _Watch(self._tracer, self._meters, get_current())


class _Watch(Watcher):
    """Invariant: `_runs` holds the runs that are being driven: one, and its child or children below it."""

    def __init__(self, tracer: Tracer, meters: Meters, around: Context) -> None:
        self._tracer = tracer
        self._meters = meters
        self._around = around
        self._runs: dict[str, RunSpans] = {}

    def began(self, run: OpenRun, folder: Path) -> None:
        """Open the span of the run; that of a child is inside the step of its parent."""
        parent = run.state.parent
        above = None if parent is None else self._runs.get(parent.run)
        around = self._around if above is None else above.inside
        self._runs[run.run] = RunSpans(self._tracer, self._meters, run, folder, around)

    def committed(self, before: RunState, after: RunState, events: Sequence[Event]) -> None:
        """Tell what `events` changed."""
        self._runs[after.run].tell(after, events)

    def let_go(self, run: str) -> None:
        """End what is open of the run. One that could not be taken up has nothing."""
        found = self._runs.pop(run, None)
        if found is not None:
            found.close()
