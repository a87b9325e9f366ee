"""A whole score process whose tools are dead, and metrics as OTLP."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from tests.conftest import Scorer, Serve, eventually, starting
from tests.exporters.conftest import serving
from tests.scorer.metrics.filled import NOW, collected, evaluated, fill, record, settings_in
from tests.scorer.test_serve import export, settled, spans

from ragvigil.scorer.sending.otlp_metrics import request_of
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore


def test_metrics_travel_by_otlp_too(tmp_path: Path) -> None:
    """The same names and values as /metrics, with exemplars that name a trace."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number) for number in range(1, 101)])
        evaluated(store, settings)
        told = collected(settings)
    request = ExportMetricsServiceRequest.FromString(request_of(told, version="1", began_at=NOW - 5))
    metrics = {one.name: one for one in request.resource_metrics[0].scope_metrics[0].metrics}
    assert metrics.keys() == {name for name, _ in told.samples} | {one.name for one in told.histograms}
    level = metrics["ragvigil_series_ratio"]
    assert (level.unit, metrics["ragvigil_store_bytes"].unit) == ("1", "By")
    values = {
        next(one.value.string_value for one in point.attributes if one.key == "series"): point.as_double
        for point in level.gauge.data_points
    }
    assert values == {"citation": 0.75, "faithfulness": 1.0}
    assert metrics["ragvigil_records_total"].sum.is_monotonic
    (citations, _) = metrics["ragvigil_answer_score_ratio"].histogram.data_points
    assert (citations.count, citations.sum) == (100, 75.0)
    assert list(citations.bucket_counts) == [25, *[0] * 9, 75, 0]
    assert len(citations.explicit_bounds) == 11
    assert [len(one.trace_id) for one in citations.exemplars] == [16, 16]


@pytest.mark.slow
def test_dead_tools_leave_scoring_as_it_is_and_live_ones_get_everything(serve: Serve) -> None:
    """One collector that lives, Langfuse that hangs, Phoenix that answers HTML: every record is scored all the same."""
    with serving() as collector, serving() as hanging, serving() as login:
        collector.status, collector.body = 200, b""
        hanging.hang = True
        login.status, login.body = 200, b"<html>Please log in</html>"
        scorer = serve(
            environment={
                "RAGVIGIL_SAMPLE__RATE": "1",
                "RAGVIGIL_METRICS__EVERY_SECONDS": "1",
                "RAGVIGIL_EXPORT__OTLP__URL": collector.base,
                "RAGVIGIL_EXPORT__OTLP__METRICS_SECONDS": "1",
                "RAGVIGIL_EXPORT__LANGFUSE__URL": hanging.base,
                "RAGVIGIL_EXPORT__LANGFUSE__PUBLIC_KEY": "pk-lf-1",
                "RAGVIGIL_EXPORT__LANGFUSE__SECRET_KEY": "sk-lf-1",
                "RAGVIGIL_EXPORT__PHOENIX__URL": login.base,
            }
        )
        export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), spans(40))
        assert settled(scorer, 40).states == {"judged": 40}

        def evaluated_spans() -> set[bytes]:
            return {
                event.span_id
                for request in collector.received
                if request.path == "/v1/logs"
                for resource in ExportLogsServiceRequest.FromString(request.body).resource_logs
                for event in resource.scope_logs[0].log_records
                if any(one.value.string_value == "faithfulness" for one in event.attributes)
            }

        eventually(lambda: len(evaluated_spans()) == 40)
        eventually(lambda: any(request.path == "/v1/metrics" for request in collector.received))
        with closing(open_for_reading(scorer.store)) as connection:
            stored = {bytes.fromhex(row[0]) for row in connection.execute("SELECT span_id FROM records")}
        assert evaluated_spans() == stored
        eventually(lambda: hanging.received and len(login.received) >= 2)
        wanted = (
            'ragvigil_export_waiting_changes{sink="langfuse"} 80.0',
            'ragvigil_export_waiting_changes{sink="otlp"} 0.0',
            'ragvigil_export_attempts_total{outcome="not_phoenix",sink="phoenix"}',
            'ragvigil_export_scores_total{outcome="delivered",sink="otlp"}',
        )

        def lacking() -> list[str]:
            text = httpx.get(f"http://{scorer.http}/metrics").text
            return [line for line in wanted if line not in text]

        eventually(lambda: not lacking())
    assert scorer.stop() == 0


def scraped(scorer: Scorer, metric: str) -> float:
    """The sum of one metric over its labels."""
    text = httpx.get(f"http://{scorer.http}/metrics").text
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(metric))


@pytest.mark.slow
def test_scores_and_metrics_travel_by_grpc_to_a_real_receiver(serve: Serve, tmp_path: Path) -> None:
    """Another scorer takes every event, and the metrics are delivered."""
    (tmp_path / "receiver").mkdir()
    with starting(tmp_path / "receiver") as another:
        receiver = another()
        scorer = serve(
            environment={
                "RAGVIGIL_SAMPLE__RATE": "1",
                "RAGVIGIL_METRICS__EVERY_SECONDS": "1",
                "RAGVIGIL_EXPORT__OTLP__URL": f"grpc://{receiver.grpc}",
                "RAGVIGIL_EXPORT__OTLP__METRICS_SECONDS": "1",
                "RAGVIGIL_EXPORT__OTLP__SCORES": "faithfulness",
            }
        )
        export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), spans(40))
        assert settled(scorer, 40).states == {"judged": 40}
        eventually(lambda: scraped(receiver, "ragvigil_received_log_records_total") == 40)
        metrics = 'ragvigil_export_attempts_total{outcome="delivered",sink="otlp_metrics"}'
        eventually(lambda: scraped(scorer, metrics) > 0)
        delivered = 'ragvigil_export_scores_total{outcome="delivered",sink="otlp"}'
        eventually(lambda: scraped(scorer, delivered) == 40)
        assert (scorer.stop(), receiver.stop()) == (0, 0)
