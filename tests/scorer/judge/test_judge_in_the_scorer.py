"""The whole scorer with a judge behind an endpoint: real processes, and kills while verdicts are under way."""

from __future__ import annotations

from contextlib import closing

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from tests.conftest import Serve, eventually
from tests.scorer.test_serve import export, spans

from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.testing import Script, ScriptedJudge


def more_requests(server: ScriptedJudge) -> None:
    """Wait until five more were made."""
    least = len(server.requests) + 5
    eventually(lambda: len(server.requests) >= least)


def test_every_record_is_judged_once_over_kills_errors_and_damage(serve: Serve) -> None:
    """kill -9 while the judge is asked: nothing is lost, nothing is judged twice."""
    script = Script(sensitivity=1.0, latency_seconds=0.05, damage=0.2, errors={429: 0.1, 500: 0.1}, seed=5)
    records = 40
    with ScriptedJudge(script, key="sk-secret") as server:
        environment = {
            "RAGVIGIL_SAMPLE__RATE": "1",
            "RAGVIGIL_JUDGE__KIND": "openai",
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "sk-secret",
            "OPENAI_MODEL": "scripted-1",
        }
        scorer = serve(environment=environment)
        export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), spans(records))
        for _ in range(2):
            more_requests(server)
            scorer.kill()
            scorer = serve(environment=environment)
        eventually(lambda: scorer.ledger().states == {"judged": records}, seconds=120)
        assert scorer.stop() == 0
    with closing(open_for_reading(scorer.store)) as store:
        rows = store.execute("SELECT state, details FROM verdicts").fetchall()
        assert len(rows) == records
        assert {row["state"] for row in rows} <= {"supported", "unparseable"}
    assert b"sk-secret" not in scorer.store.read_bytes()
