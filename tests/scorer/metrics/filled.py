"""A store with scores in it, for the tests of what goes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ragvigil.exporters import Alert, Measurement
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.metrics import file
from ragvigil.scorer.metrics.collect import Collector, Vitals
from ragvigil.scorer.metrics.measures import Measures
from ragvigil.scorer.metrics.scrape import Scrape
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.monitor.shares import Coverage
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.sample import Pressure
from ragvigil.scorer.store.port import Judgement, LedgerEntry, RawTrace, ScoredRecord, ScoredTrace, Taken
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult, Verdict

SECOND = 10**9
NOW = 1_772_323_200 * SECOND
"""2026-03-01 00:00 UTC."""
VERDICT = Verdict("builtin", "4", "d" * 64, "supported", 1.0, 0.93, details={"usage": {"input_tokens": 70}})


def settings_in(folder: Path, **overrides: Mapping[str, object]) -> Settings:
    """Settings with a store of their own in `folder`."""
    return load(overrides={"store": {"url": f"sqlite:///{folder / 'store.db'}"}, **overrides})


def record(number: int, service: str = "docs", **segment: str) -> RagTrace:
    """One answer, a second apart from its neighbours."""
    return RagTrace(
        trace_id=f"{number:032x}",
        span_id=f"{number:016x}",
        service=service,
        environment="production",
        started_at=NOW - 300 * SECOND + number % 60 * SECOND,
        query="Why?",
        answer="Because.",
        segment=segment,
    )


def scored(answer: RagTrace, *values: float, judged: bool = True) -> ScoredTrace:
    """The answer with its citation score (1.0 when none is given)."""
    check = CheckResult("citation_correctness", "3", values[0] if values else 1.0)
    entry = LedgerEntry("pending", 0.5) if judged else LedgerEntry("checked_only", 0.5)
    return ScoredTrace(
        answer.trace_id,
        RawTrace(b"spans", b""),
        False,
        (ScoredRecord(answer, (check,), entry),),
        service=answer.service,
        environment=answer.environment,
        span_count=1,
    )


def fill(store: SqliteStore, answers: Sequence[RagTrace], verdict: Verdict | None = VERDICT) -> None:
    """Commit the answers, every fourth with a wrong citation, and judge them all (None: the judge fails)."""
    traces = [scored(answer, 1.0 if number % 4 else 0.0) for number, answer in enumerate(answers)]
    jobs = store.records.commit(traces, None, NOW)
    judgements = [
        Judgement(job, verdict and replace(verdict), None if verdict else "http_500") for job in jobs
    ]
    store.records.record_judgements(judgements, NOW)


def evaluated(store: SqliteStore, settings: Settings) -> None:
    """Evaluate every series, as a tick does."""
    Monitor(store.monitoring, settings.monitor, list(settings.channels), settings.links).tick(NOW)


def vitals() -> Vitals:
    """A scorer that is well."""
    return Vitals(1.5, 2, 3, NOW / 1e9)


def exposed(folder: Path) -> bytes:
    """What /metrics shows of a scorer that has had everything happen to it once."""
    hook = {"type": "webhook", "url": "http://127.0.0.1:1", "secret": "whsec_" + "c2VjcmV0" * 4}
    settings = settings_in(folder, channels={"hook": hook})
    with SqliteStore(settings) as store:
        before = [replace(record(number), started_at=NOW - 18_000 * SECOND) for number in range(200, 300)]
        fill(store, [*before, *(record(number, language="de") for number in range(1, 101))])
        fill(store, [record(101)], verdict=None)
        evaluated(store, settings)
        misdated = replace(scored(record(102)), misdated=NOW // 10**6)
        store.records.commit([misdated], None, NOW, Taken(unread={"odd": 1}))
        since = datetime.fromtimestamp(NOW / 1e9, UTC)
        rate = Measurement(0.6, 0.5, 0.7, 80)
        key = SeriesKey("citation", "docs", "production")
        for number, refused in ((1, False), (2, True)):
            name = f"inc-{number}"
            alert = Alert(
                name,
                name,
                "trigger",
                "error",
                "citation",
                "docs",
                None,
                "It fell",
                "",
                rate,
                rate,
                since,
                since,
            )
            over = None if refused else NOW
            incident = Incident(name, key, name, NOW, NOW, rate, rate, rate, resolved_at=over)
            store.monitoring.save_incident(incident, alert, ["hook"])
            store.outbox.delivered(number, NOW, None)
        seen = Coverage("docs", "production", 101, 303, 1, 0, 101, 1, 0)
        sinks = {"phoenix": {"scores.delivered": 5, "attempts.delivered": 1, "waiting": 2, "dropped": 0}}
        well = Vitals(
            1.5, 2, 3, NOW / 1e9, (seen,), sinks, pressures=[Pressure("calls_per_minute", 45.0, 50.0)]
        )
        settings.inbox_path.mkdir()
        file.write(settings.inbox_path, Collector(settings, lambda: well, now=lambda: NOW).collect())
    received = {"spans": 3, "logs": 1, "bytes": 9, "requests.http spans": 1, "rejected.trace_id": 1}
    received |= {"refused.full": 2, "forwarded.tempo.dropped.full": 1}
    return Scrape(settings.inbox_path, 60.0, now=lambda: NOW).answer(received, "text/plain")[0]


def collected(settings: Settings) -> Measures:
    """A snapshot of the store."""
    return Collector(settings, vitals, now=lambda: NOW).collect()
