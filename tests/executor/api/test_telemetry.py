"""Spans and metrics of runs, as the SDK of OpenTelemetry gets them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

import akm
from akm.telemetry.links import FILE
from akm.telemetry.watch import Telemetry

WORKS = """
  step first: exec nothing { on passed -> second }
  step second: exec fails { retry 1 on failed, on passed -> completed, on failed -> failed }
"""
SENTINEL = "sentinel-7f3a"
ASKS = "step ask: wait signal go { timeout 1h, on passed -> completed, on expired -> failed }"


class Program(Protocol):
    here: Path
    store: Path

    def workflow(self, steps: str, name: str = ...) -> Path: ...


class Collector:
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.traces = TracerProvider()
        self.traces.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider([self.reader])
        self.telemetry = Telemetry(self.traces, self.meters)

    def drives(self, program: Program, plan: Path, run_id: str = "r") -> akm.RunResult:
        """Makes run `r`, or goes on with it."""

        async def go() -> akm.RunResult:
            async with akm.Engine(program.store, telemetry=self.telemetry) as engine:
                return await (await engine.start(plan, run_id=run_id)).end()

        return asyncio.run(go())

    def spans(self) -> list[ReadableSpan]:
        """Those that have ended since this was last asked."""
        found = list(self.exporter.get_finished_spans())
        self.exporter.clear()
        return found

    def metric(self, name: str) -> list[tuple[dict[str, Any], Any]]:
        """The points of a metric: what tells each apart, and the point."""
        data = self.reader.get_metrics_data()
        assert data is not None
        return [
            (dict(point.attributes or {}), point)
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector, while the secret that a tool asks for is there."""
    monkeypatch.setenv("TOKEN", SENTINEL)
    found = Collector()
    yield found
    found.traces.shutdown()
    found.meters.shutdown()


def named(spans: list[ReadableSpan], name: str) -> list[ReadableSpan]:
    return [span for span in spans if span.name == name]


def only(spans: list[ReadableSpan], name: str) -> ReadableSpan:
    (found,) = named(spans, name)
    return found


def is_inside(span: ReadableSpan, outer: ReadableSpan) -> bool:
    return (
        span.parent is not None
        and span.parent.span_id == outer.context.span_id
        and span.context.trace_id == outer.context.trace_id
        and (outer.start_time or 0) <= (span.start_time or 0) <= (span.end_time or 0) <= (outer.end_time or 0)
    )


def test_attempts_are_inside_step_attempts_and_these_inside_the_run(program: Program, collector: Collector) -> None:
    assert collector.drives(program, program.workflow(WORKS)).status == "failed"
    spans = collector.spans()
    run = only(spans, "run work")
    steps = [only(spans, "step first"), only(spans, "step second")]
    assert run.parent is None
    assert all(is_inside(step, run) for step in steps)
    assert is_inside(only(spans, "attempt first"), steps[0])
    tries = named(spans, "attempt second")
    assert [span.attributes and span.attributes["akm.attempt.id"] for span in tries] == ["second#1/1", "second#1/2"]
    assert all(is_inside(span, steps[1]) for span in tries)
    assert len(spans) == 6


def test_only_what_failed_is_an_error_and_names_its_code(program: Program, collector: Collector) -> None:
    collector.drives(program, program.workflow(WORKS))
    spans = {span.name: span for span in collector.spans()}
    for name in ("run work", "step second", "attempt second"):
        assert spans[name].status.status_code is StatusCode.ERROR
        assert (spans[name].attributes or {})["error.type"] == spans[name].status.description
    for name in ("step first", "attempt first"):
        assert spans[name].status.status_code is StatusCode.UNSET
        assert "error.type" not in (spans[name].attributes or {})


def test_what_a_tool_says_and_what_a_secret_is_are_not_told(program: Program, collector: Collector) -> None:
    collector.drives(program, program.workflow(WORKS))
    told = "".join(span.to_json() for span in collector.spans())
    assert "second#1/2" in told
    assert SENTINEL not in told
    assert str(program.here) not in told


def test_a_resume_begins_a_trace_that_links_to_the_one_before(program: Program, collector: Collector) -> None:
    plan = program.workflow(ASKS)
    assert collector.drives(program, plan).cause == "waiting"
    before = collector.spans()
    asyncio.run(akm.Engine(program.store).signal("r", "go"))
    assert collector.drives(program, plan).status == "completed"
    after = collector.spans()
    first, second = only(before, "run work"), only(after, "run work")
    assert first.links == ()
    assert first.context.trace_id != second.context.trace_id
    (link,) = second.links
    assert (link.context.trace_id, link.context.span_id) == (first.context.trace_id, first.context.span_id)
    assert (only(before, "step ask").attributes or {})["akm.parked"] is True
    going_on = only(after, "step ask").attributes or {}
    assert (going_on["akm.continued"], going_on["akm.step.outcome"]) == (True, "passed")


@pytest.mark.parametrize("kept", ["", "00-zz", "\xff"])
def test_a_link_that_cannot_be_read_is_left_out(program: Program, collector: Collector, kept: str) -> None:
    plan = program.workflow(ASKS)
    collector.drives(program, plan)
    collector.spans()
    (program.store / "runs" / "r" / FILE).write_text(kept, encoding="latin-1")
    assert collector.drives(program, plan).cause == "waiting"
    assert only(collector.spans(), "run work").links == ()


def test_a_run_ends_though_its_place_cannot_be_kept(program: Program, collector: Collector) -> None:
    plan = program.workflow(ASKS)
    collector.drives(program, plan)
    place = program.store / "runs" / "r" / FILE
    place.unlink()
    place.mkdir()
    asyncio.run(akm.Engine(program.store).signal("r", "go"))
    assert collector.drives(program, plan).status == "completed"


def test_a_child_is_inside_the_step_of_its_parent(program: Program, collector: Collector) -> None:
    program.workflow("step a: exec nothing { on passed -> completed }", "child")
    parent = 'step ship: workflow "child.akm" { on completed -> completed, on cancelled -> cancelled }'
    assert collector.drives(program, program.workflow(parent)).status == "completed"
    spans = collector.spans()
    assert is_inside(only(spans, "run child"), only(spans, "step ship"))
    assert is_inside(only(spans, "step a"), only(spans, "run child"))


def test_the_run_belongs_to_the_span_that_the_host_program_is_in(program: Program, collector: Collector) -> None:
    async def go() -> None:
        async with akm.Engine(program.store, telemetry=collector.telemetry) as engine:
            with collector.traces.get_tracer("host").start_as_current_span("request"):
                run = await engine.start(program.workflow(WORKS))
                await run.end()

    asyncio.run(go())
    spans = collector.spans()
    assert is_inside(only(spans, "run work"), only(spans, "request"))


def test_runs_steps_retries_and_durations_are_counted(program: Program, collector: Collector) -> None:
    plan = program.workflow(WORKS)
    for run_id in ("one", "two"):
        collector.drives(program, plan, run_id)
    ((run, count),) = collector.metric("akm.run.ended")
    assert (run["akm.run.status"], count.value) == ("failed", 2)
    steps = {
        about["akm.step.name"]: (about["akm.step.outcome"], at.value)
        for about, at in collector.metric("akm.step.ended")
    }
    assert steps == {"first": ("passed", 2), "second": ("failed", 2)}
    ((retry, retries),) = collector.metric("akm.attempt.retried")
    assert (retry["akm.step.name"], retry["akm.retry.reason"], retries.value) == ("second", "failed", 2)
    durations = {about["akm.tool.name"]: at.count for about, at in collector.metric("akm.attempt.duration")}
    assert durations == {"nothing": 2, "fails": 4}


def test_what_cannot_be_proven_is_counted_once_and_marked(program: Program, collector: Collector) -> None:
    with (program.here / "registry.akm").open("a", encoding="utf-8") as registry:
        registry.write('tool dropped { argv ["sh", "-c", "kill -9 $$"], effect external_non_idempotent }\n')
    plan = program.workflow("step mail: exec dropped { on passed -> completed }")
    assert collector.drives(program, plan).status == "blocked_uncertain"
    ((about, count),) = collector.metric("akm.effect.blocked")
    assert (about["akm.effect.class"], count.value) == ("external_non_idempotent", 1)
    spans = collector.spans()
    for name in ("attempt mail", "step mail"):
        assert "block" in [event.name for event in only(spans, name).events]
    assert (only(spans, "run work").attributes or {})["akm.run.status"] == "blocked_uncertain"


def test_telemetry_changes_no_digest(program: Program, collector: Collector) -> None:
    plan = program.workflow(WORKS)
    told = collector.drives(program, plan, "told")
    assert akm.run(plan, store=program.store, run_id="untold").digest == told.digest
    assert not (program.store / "runs" / "untold" / FILE).exists()
