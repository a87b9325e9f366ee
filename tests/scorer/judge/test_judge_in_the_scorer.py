"""The whole scorer with a judge behind an endpoint: real processes, and kills while verdicts are under way."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from tests.conftest import Scorer, Serve, eventually, starting
from tests.scorer.test_serve import export, spans

from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.testing import Script, ScriptedJudge


def more_requests(server: ScriptedJudge) -> None:
    """Wait until five more were made."""
    least = len(server.requests) + 5
    eventually(lambda: len(server.requests) >= least)


def all_judged(scorer: Scorer, records: int) -> None:
    """Wait until they are."""
    eventually(lambda: scorer.ledger().states == {"judged": records}, seconds=120)


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
        all_judged(scorer, records)
        assert scorer.stop() == 0
    with closing(open_for_reading(scorer.store)) as store:
        rows = store.execute("SELECT state, details FROM verdicts").fetchall()
        assert len(rows) == records
        assert {row["state"] for row in rows} <= {"supported", "unparseable"}
    assert b"sk-secret" not in scorer.store.read_bytes()


def test_two_scorers_that_share_a_file_ask_once_about_each_answer(tmp_path: Path) -> None:
    """The same traffic reaches both, and one is killed: nobody waits for the dead, and nothing is judged twice."""
    records, seats = 24, 4
    script = Script(sensitivity=1.0, latency_seconds=0.1, seed=5)
    with ScriptedJudge(script) as server, ExitStack() as stack:
        environment = {
            "RAGVIGIL_SAMPLE__RATE": "1",
            "RAGVIGIL_JUDGE__KIND": "openai",
            "RAGVIGIL_JUDGE__MAX_IN_FLIGHT": str(seats),
            "RAGVIGIL_JUDGE__SHARED": str(tmp_path / "shared.db"),
            "OPENAI_BASE_URL": server.url,
            "OPENAI_MODEL": "scripted-1",
        }
        starters = [stack.enter_context(starting(tmp_path / name)) for name in ("one", "two")]
        both = [start(environment=environment) for start in starters]
        for scorer in both:
            export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), spans(records))
        eventually(lambda: len(server.requests) >= seats)
        both[0].kill()
        both[0] = starters[0](environment=environment)
        for scorer in both:
            all_judged(scorer, records)
            assert scorer.stop() == 0
            with closing(open_for_reading(scorer.store)) as store:
                assert store.execute("SELECT count(*) FROM verdicts").fetchone()[0] == records
        assert records <= len(server.requests) <= records + seats
