"""What is counted and measured of runs (docs/reference/telemetry.md)."""

from opentelemetry.metrics import Meter
from opentelemetry.util.types import Attributes

#: Upper bounds of the classes of durations, in seconds: tools take milliseconds, agents hours.
DURATIONS_S = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600)


class Meters:
    """The instruments, one for each kind of thing that is counted."""

    def __init__(self, meter: Meter) -> None:
        self._runs = meter.create_counter("akm.run.ended", "{run}", "Runs that ended, by status")
        self._steps = meter.create_counter("akm.step.ended", "{step}", "Step attempts that ended, by outcome")
        self._retries = meter.create_counter("akm.attempt.retried", "{attempt}", "Attempts tried again, by reason")
        self._blocked = meter.create_counter("akm.effect.blocked", "{effect}", "Effects that cannot be proven")
        self._durations = meter.create_histogram(
            "akm.attempt.duration",
            "s",
            "From the recorded intent of an attempt to its recorded end",
            explicit_bucket_boundaries_advisory=DURATIONS_S,
        )

    def run_ended(self, about: Attributes) -> None:
        """A run ended."""
        self._runs.add(1, about)

    def step_ended(self, about: Attributes) -> None:
        """A step attempt ended."""
        self._steps.add(1, about)

    def retried(self, about: Attributes) -> None:
        """An assignment is to be tried again."""
        self._retries.add(1, about)

    def blocked(self, about: Attributes) -> None:
        """What became of an effect cannot be proven."""
        self._blocked.add(1, about)

    def attempt_took(self, seconds: float, about: Attributes) -> None:
        """A physical attempt ended that was seen from its beginning."""
        self._durations.record(seconds, about)
