"""Sending traces and metrics as the environment says: the variables `OTEL_*` of OpenTelemetry's specification."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, MetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter

from akm.telemetry.watch import Telemetry
from akm_specs import __version__

_PROTOCOL = "http/protobuf"


class TelemetryRefused(Exception):
    """The environment asks for a way of sending that akm does not have."""


@contextmanager
def sent(environment: Mapping[str, str]) -> Iterator[Telemetry]:
    """Telemetry that is sent as `environment` says; on leaving, all of it has been sent or given up.

    Raises TelemetryRefused. What the SDK reads by itself (samplers, endpoints, headers, batches) it reads from the
    environment of this process.
    """
    spans, metrics = _span_exporter(environment), _metric_exporter(environment)
    found = OTELResourceDetector().detect().attributes
    resource = Resource.create({"service.name": "akm", "service.version": __version__, **found})
    traces = TracerProvider(resource=resource, shutdown_on_exit=False)
    if spans is not None:
        traces.add_span_processor(BatchSpanProcessor(spans))
    readers = [] if metrics is None else [PeriodicExportingMetricReader(metrics)]
    meters = MeterProvider(readers, resource=resource, shutdown_on_exit=False)
    try:
        yield Telemetry(traces, meters)
    finally:
        traces.shutdown()
        meters.shutdown()


def _span_exporter(environment: Mapping[str, str]) -> SpanExporter | None:
    match _chosen(environment, "TRACES"):
        case "otlp":
            return OTLPSpanExporter()
        case "console":
            return ConsoleSpanExporter(out=sys.stderr, formatter=lambda span: f"{span.to_json(indent=None)}\n")
        case _:
            return None


def _metric_exporter(environment: Mapping[str, str]) -> MetricExporter | None:
    match _chosen(environment, "METRICS"):
        case "otlp":
            return OTLPMetricExporter()
        case "console":
            return ConsoleMetricExporter(sys.stderr, formatter=lambda found: f"{found.to_json(indent=None)}\n")
        case _:
            return None


def _chosen(environment: Mapping[str, str], kind: str) -> str:
    """`otlp`, `console` or `none`: the exporter of this kind. An empty variable is one that is not set."""
    variable = f"OTEL_{kind}_EXPORTER"
    chosen = environment.get(variable) or "otlp"
    if chosen not in ("otlp", "console", "none"):
        raise TelemetryRefused(f"{variable}={chosen}: akm sends to otlp or console, and to none")
    if chosen == "otlp":
        names = (f"OTEL_EXPORTER_OTLP_{kind}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
        name, protocol = next(((one, environment[one]) for one in names if environment.get(one)), ("", _PROTOCOL))
        if protocol != _PROTOCOL:
            raise TelemetryRefused(f"{name}={protocol}: akm speaks {_PROTOCOL}, which collectors take at port 4318")
    return chosen
