"""A real scorer, scraped over HTTP, and by a real Prometheus."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from tests.conftest import Serve, eventually
from tests.exporters.test_alertmanager import running
from tests.ports import free_port
from tests.scorer.test_serve import export, settled, spans

PROMETHEUS = shutil.which("prometheus")
PROMTOOL = shutil.which("promtool")
QUICK = {
    "RAGVIGIL_SAMPLE__RATE": "1",
    "RAGVIGIL_METRICS__EVERY_SECONDS": "0.5",
    "RAGVIGIL_MONITOR__TICK_SECONDS": "0.2",
}
SCRAPING = """
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: ragvigil
    static_configs: [{{targets: ["{target}"]}}]
"""
LEVELS = ("citation", "faithfulness")


def test_what_was_scored_can_be_scraped(serve: Serve) -> None:
    """From OTLP in to a level with its interval, its counts and the scorer's own health out."""
    scorer = serve(environment=QUICK)
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), spans(60))
    settled(scorer, 60)
    url = f"http://{scorer.http}/metrics"

    def scraped() -> str | None:
        text = httpx.get(url).text
        levels = [line for line in text.splitlines() if line.startswith("ragvigil_series_ratio")]
        both = all(any(f'segment="",series="{one}"' in line for line in levels) for one in LEVELS)
        return text if both and 'ragvigil_ledger_records{state="judged"} 60.0' in text else None

    text = eventually(scraped)
    for line in (
        "ragvigil_scorer_up 1.0",
        "ragvigil_received_spans_total 180.0",
        'ragvigil_verdicts_total{outcome="supported"} 60.0',
        "ragvigil_backlog_seconds 0.0",
        'ragvigil_coverage_ratio{coverage="scored",environment="production",service="shop"} 1.0',
    ):
        assert line in text.splitlines(), text
    assert scorer.stop() == 0
    assert not list(scorer.store.parent.glob("*-inbox/metrics.json"))
    if PROMTOOL is not None:
        done = subprocess.run(
            [PROMTOOL, "check", "metrics"], input=text.encode(), capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.slow
@pytest.mark.skipif(PROMETHEUS is None, reason="Prometheus is not installed (Debian: prometheus)")
def test_a_real_prometheus_scrapes_levels_and_exemplars(serve: Serve, tmp_path: Path) -> None:
    """It negotiates OpenMetrics, and keeps the trace ids that the buckets name."""
    assert PROMETHEUS is not None
    scorer = serve(environment=QUICK)
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), spans(40))
    settled(scorer, 40)
    folder = tmp_path / "prometheus"
    folder.mkdir()
    (folder / "prometheus.yml").write_text(SCRAPING.format(target=scorer.http))
    address = f"127.0.0.1:{free_port()}"
    command = [PROMETHEUS, "--config.file=prometheus.yml", f"--storage.tsdb.path={folder / 'data'}"]
    command += [f"--web.listen-address={address}", "--enable-feature=exemplar-storage"]
    with running(command, f"http://{address}/-/ready", folder):
        found = eventually(lambda: _asked(address, "query", query='ragvigil_series_ratio{segment=""}'))
        assert {one["metric"]["series"] for one in found} <= {"citation", "faithfulness"}
        assert {one["value"][1] for one in found} == {"1"}
        (health,) = _asked(address, "query", query='up{job="ragvigil"}')
        assert health["value"][1] == "1"
        shown = eventually(
            lambda: _asked(
                address,
                "query_exemplars",
                query='ragvigil_answer_score_ratio_bucket{score="faithfulness"}',
                start="2020-01-01T00:00:00Z",
                end="2100-01-01T00:00:00Z",
            )
        )
        assert len(shown[0]["exemplars"][0]["labels"]["trace_id"]) == 32


def _asked(address: str, what: str, **parameters: str) -> list[Any]:
    answer = httpx.get(f"http://{address}/api/v1/{what}", params=parameters).json()
    data: Any = answer["data"]
    return list(data["result"] if isinstance(data, dict) else data)  # pyright: ignore[reportUnknownArgumentType]  # JSON
