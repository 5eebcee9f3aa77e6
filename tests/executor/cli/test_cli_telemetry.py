"""`akm run --telemetry`: what a person sees of it, and what arrives at a collector."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

STEPS = "step first: exec good { on passed -> completed }"
CONSOLE = {"OTEL_TRACES_EXPORTER": "console", "OTEL_METRICS_EXPORTER": "console"}
#: Nothing listens there, and nobody waits long for it.
NOWHERE = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
TOKEN = "sentinel-51c0"


@pytest.fixture
def received() -> Iterator[tuple[str, dict[str, list[bytes]]]]:
    """A collector's address, and what was posted to each of its paths."""
    posted: dict[str, list[bytes]] = {}

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.setdefault(self.path, []).append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", posted
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_collector_gets_traces_and_metrics(
    person: "Person", received: tuple[str, dict[str, list[bytes]]]
) -> None:
    address, posted = received
    person.environment |= {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_EXPORTER_OTLP_COMPRESSION": "none"}
    ended = person.akm("run", person.plan(STEPS), "--id", "r", "--telemetry")
    assert ended.code == 0, ended
    spans = [
        span.name
        for data in posted["/v1/traces"]
        for resource in ExportTraceServiceRequest.FromString(data).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    assert sorted(spans) == ["attempt first", "run work", "step first"]
    metrics = {
        metric.name
        for data in posted["/v1/metrics"]
        for resource in ExportMetricsServiceRequest.FromString(data).resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert metrics == {"akm.run.ended", "akm.step.ended", "akm.attempt.duration"}


def test_the_console_is_standard_error_and_the_one_document_stays_alone(person: "Person") -> None:
    words = ("run", person.plan(STEPS), "--id", "r", "--telemetry", "--json", "--log-format", "json")
    person.environment |= CONSOLE
    ended = person.akm(*words)
    assert (ended.code, ended.document["status"]) == (0, "completed")
    lines = [json.loads(line) for line in ended.err.splitlines()]
    assert [line["name"] for line in lines if "context" in line] == ["step first", "attempt first", "run work"]
    (span, *_) = (line for line in lines if "context" in line)
    assert span["resource"]["attributes"]["service.name"] == "akm"


def test_the_service_is_called_as_the_environment_says(person: "Person") -> None:
    words = ("run", person.plan(STEPS), "--id", "r", "--telemetry", "--log-format", "json")
    person.environment |= {**CONSOLE, "OTEL_SERVICE_NAME": "builds"}
    ended = person.akm(*words)
    spans = [line for line in map(json.loads, ended.err.splitlines()) if "context" in line]
    assert {span["resource"]["attributes"]["service.name"] for span in spans} == {"builds"}


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_collector_that_is_not_there_fails_nothing_and_is_told(person: "Person", log_format: str) -> None:
    words = ("run", person.plan(STEPS), "--id", "r", "--telemetry", "--log-format", log_format)
    person.environment |= {**NOWHERE, "OTEL_EXPORTER_OTLP_HEADERS": f"not a header {TOKEN}"}
    ended = person.akm(*words)
    assert ended.code == 0
    assert TOKEN not in ended.err
    if log_format == "json":
        told = [line for line in map(json.loads, ended.err.splitlines()) if line["event"] == "telemetry"]
        assert any("Failed to export" in line["message"] for line in told)
    else:
        assert "akm: telemetry: Failed to export" in ended.err
    person.does("verify", "r")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_TRACES_EXPORTER", "zipkin"),
        ("OTEL_METRICS_EXPORTER", "prometheus"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/json"),
    ],
)
def test_a_way_of_sending_that_is_unknown_is_refused_before_the_run_begins(
    person: "Person", name: str, value: str
) -> None:
    person.environment[name] = value
    ended = person.akm("run", person.plan(STEPS), "--id", "r", "--telemetry")
    assert ended.code == 2
    assert f"{name}={value}" in ended.err
    person.does("status", "r", code=2)


def test_nothing_is_sent_unless_it_is_asked_for(person: "Person") -> None:
    person.environment |= CONSOLE
    ended = person.akm("run", person.plan(STEPS), "--id", "r")
    assert ended.code == 0
    assert "context" not in ended.err


def test_without_the_extra_the_option_names_what_to_install(person: "Person") -> None:
    program = (
        "import sys; sys.modules['opentelemetry'] = None; from akm.cli import main; "
        f"sys.exit(main(['run', {person.plan(STEPS)!r}, '--telemetry']))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=person.here, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 2
    assert "install `akm[otel]`" in ended.stderr
