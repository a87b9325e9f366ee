"""What checks and a judge say together of an answer, in the store of a running scorer."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from tests.conftest import Serve, eventually
from tests.scorer.judge.test_outage_in_the_scorer import judging_by
from tests.scorer.labels.conftest import settings_in
from tests.scorer.test_serve import export, spans

from ragvigil.scorer.failure_tags import tagged
from ragvigil.scorer.grounded_answer import as_result
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.store.port import Job, Judgement, LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.testing import Script, ScriptedJudge
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import CheckResult, Claim, Measured, Verdict

NOW = 1_772_323_200_000_000_000
RECORD = RagTrace(
    "a" * 32,
    "1" * 16,
    "shop",
    NOW,
    query="When does the desk open?",
    answer="The desk opens at nine [d1].",
    documents=(Document("d1", "The desk opens at nine."),),
)
AXES = {
    "factuality": 1,
    "attribution": 4,
    "coverage": 3,
    "calibration": 2,
    "conciseness": 4,
    "format": 4,
}


def verdict(judged: str, axes: dict[str, int] | None = None) -> Verdict:
    """One that fails or passes the only claim."""
    claim = Claim(
        "The desk opens at nine", 0, 22, (), "unsupported" if judged == "fails" else "supported", 0.0
    )
    measured = Measured("judge.six_axes", "openai", "1+m", "d", 0.5, None, {"axes": axes}) if axes else None
    return Verdict(
        "openai",
        "1+m",
        "d",
        "unsupported" if judged == "fails" else "supported",
        0.0 if judged == "fails" else 1.0,
        0.0 if judged == "fails" else 1.0,
        (claim,),
        "invented",
        measured=(measured,) if measured else (),
    )


def current(store: Path) -> dict[str, tuple[float | None, dict[str, object]]]:
    """Value and details of each sum, as it stands."""
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute(
            "SELECT i.name, s.value, s.details FROM scores s JOIN instruments i ON i.id = s.instrument_id "
            "WHERE s.current AND (i.name LIKE '%failure_tags' OR i.name LIKE '%grounded_answer')"
        ).fetchall()
    assert len({row[0] for row in rows}) == len(rows), "one of each stands"
    return {name: (value, json.loads(details or "{}")) for name, value, details in rows}


def committed(store: SqliteStore, record: RagTrace, checks: tuple[CheckResult, ...]) -> list[Job]:
    """The record as it comes from the checks, waiting for the judge."""
    scored = ScoredRecord(record, checks, LedgerEntry("pending", 1.0))
    return list(
        store.records.commit([ScoredTrace(record.trace_id, RawTrace(b"s", b""), False, (scored,))], None, NOW)
    )


def test_a_judged_answer_has_tags_and_axes_of_both_beside_those_of_the_checks(tmp_path: Path) -> None:
    """The same as ragvigil score shows; late spans that change nothing leave it, a changed answer has none yet."""
    settings, checks = settings_in(tmp_path), Checking().run(RECORD)
    said = verdict("fails", AXES)
    with SqliteStore(settings) as store:
        (job,) = committed(store, RECORD, checks)
        alone = current(settings.store.path)
        assert alone.keys() == {"failure_tags", "grounded_answer"}
        store.records.record_judgements([Judgement(job, said)], NOW)
        both = current(settings.store.path)
        assert {name: both[name] for name in alone} == alone
        tags, score = tagged(checks, said), as_result(checks, said)
        assert both["judge.failure_tags"] == (1.0, {"HALLUCINATION_FACT": "openai"} | dict(tags.details))
        assert both["judge.grounded_answer"] == (score.value, dict(score.details))
        assert committed(store, RECORD, checks) == []
        assert current(settings.store.path) == both
        changed = replace(RECORD, answer="The desk opens at ten [d1].")
        (job,) = committed(store, changed, Checking().run(changed))
        assert current(settings.store.path).keys() == alone.keys()
        store.records.record_judgements([Judgement(job, verdict("passes"))], NOW)
        assert current(settings.store.path)["judge.failure_tags"][1].get("HALLUCINATION_FACT") != "openai"


def test_a_running_scorer_puts_the_six_axes_into_the_score(serve: Serve) -> None:
    """With a judge over HTTP; what it was not asked of is made of the checks."""
    with ScriptedJudge(Script(sensitivity=1.0)) as server:
        scorer = serve(environment=judging_by(server.url, RAGVIGIL_JUDGE__MEASURES='["six_axes"]'))
        export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), spans(1))
        eventually(lambda: scorer.ledger().states == {"judged": 1}, seconds=60)
        assert scorer.stop() == 0
    found = current(scorer.store)
    value, details = found["judge.grounded_answer"]
    assert details["weight"] == 100, "every axis is known"
    assert value is not None
    assert value > 0.9
    assert found["judge.failure_tags"][0] == 0.0
