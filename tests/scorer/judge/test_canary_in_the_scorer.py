"""A running scorer judges frozen past traces again over HTTP, and tells when it is the judge that moved."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass

import httpx
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from tests.conftest import Serve, eventually
from tests.scorer.test_serve import spans

from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.testing import Script, ScriptedJudge, Shown

RECORDS = 40
_THREE_DAYS = 3 * 86_400 * 10**9


@dataclass(frozen=True, slots=True)
class Fickle(Script):
    """Passes everything at first, and nothing once every record has its verdict."""

    def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
        """By the number of the request."""
        return json.dumps(Script(sensitivity=float(number < RECORDS), truth=lambda _: True).reply(shown))


def export_of_old(address: str) -> None:
    """The spans of RECORDS questions, asked three days ago."""
    request = encode_spans(spans(RECORDS))
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                span.start_time_unix_nano -= _THREE_DAYS
                span.end_time_unix_nano -= _THREE_DAYS
    headers = {"Content-Type": "application/x-protobuf"}
    httpx.post(
        f"http://{address}/v1/traces", content=request.SerializeToString(), headers=headers, timeout=30
    ).raise_for_status()


def test_a_scheduled_canary_tells_that_the_judge_moved_and_the_verdicts_of_record_stay(serve: Serve) -> None:
    """Asked anew over HTTP, from no memory; the answers' own series is as it was, and the past is frozen anew."""
    with ScriptedJudge(Fickle()) as server:
        scorer = serve(
            environment={
                "RAGVIGIL_SAMPLE__RATE": "1",
                "RAGVIGIL_JUDGE__KIND": "openai",
                "OPENAI_BASE_URL": server.url,
                "OPENAI_MODEL": "scripted-1",
                "RAGVIGIL_MONITOR__TICK_SECONDS": "0.3",
                "RAGVIGIL_DETECT__BATCH_SECONDS": "21600",
                "RAGVIGIL_DETECT__LEARNING_DAYS": "1",
                "RAGVIGIL_DETECT__LATE_SECONDS": "300000",
                "RAGVIGIL_DETECT__CANARY_SIZE": "30",
            }
        )
        export_of_old(scorer.http)
        eventually(lambda: scorer.ledger().states == {"judged": RECORDS}, seconds=90)

        def told() -> sqlite3.Row | None:
            with closing(open_for_reading(scorer.store)) as store:
                found: sqlite3.Row | None = store.execute(
                    "SELECT note FROM incidents WHERE series = 'judge' AND told"
                ).fetchone()
                return found

        note = eventually(told, seconds=90)["note"]
        assert scorer.stop() == 0
    assert "changed: of the same past answers it now passes 100.0 points less" in note
    assert len(server.requests) == RECORDS + 30
    with closing(open_for_reading(scorer.store)) as store:
        assert store.execute("SELECT count(*), sum(passed) FROM verdicts").fetchone()[:] == (RECORDS, RECORDS)
        assert store.execute("SELECT count(*), sum(passed) FROM canaries").fetchone()[:] == (30, 0)
        assert store.execute("SELECT DISTINCT passed_before, passed_now FROM rejudged").fetchall()[0][:] == (
            1,
            0,
        )
