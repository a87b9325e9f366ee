"""A store in which much has happened, and the pages over it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.scorer.metrics.filled import NOW, SECOND, VERDICT, evaluated, fill, record, settings_in

from ragvigil.exporters import Alert, Measurement
from ragvigil.scorer.changes import Change
from ragvigil.scorer.commands._dashboard import status
from ragvigil.scorer.config import Settings
from ragvigil.scorer.dashboard.application import application
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store.port import Taken
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document
from ragvigil.scorer.verdict import Claim, Source

from .browser import Browser

HOSTILE = "<script>alert(1)</script> \u202egnp\x1b[31m {{ 7*7 }}"
"""What users, documents and models may write: markup, text turned round, terminal codes, a template."""
BAD = record(9_001)
INCIDENT, OTHER = "inc-0123456789abcdef", "inc-fedcba9876543210"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Those of the store."""
    return settings_in(tmp_path, links={"trace_url_template": "https://tempo.example.com/{trace_id}"})


@pytest.fixture
def pages(settings: Settings) -> Browser:
    """The pages over a store with two hundred answers, an incident, a change and one answer that is no good."""
    with SqliteStore(settings) as store:
        fill(store, [replace(record(n), started_at=NOW - 18_000 * SECOND) for n in range(200, 300)])
        fill(store, [record(n) for n in range(1, 101)])
        fill(store, [replace(record(n), environment=None) for n in range(400, 440)])
        _bad_answer(store)
        evaluated(store, settings)
        _incident(store)
        told = Change("c1", NOW - 400 * SECOND, "deploy", HOSTILE, "docs", "production")
        store.records.commit([], None, NOW, Taken(changes=(told,)))
    return Browser(application(settings, status(), clock=lambda: NOW))


def _bad_answer(store: SqliteStore) -> None:
    text = f"It costs 12 euros. {HOSTILE}"
    claim = Claim(
        text[:18], 0, 18, (), "contradicted", 0.04, Source("d1", 0, 9), "number_mismatch", ((9, 11),)
    )
    other = Claim(HOSTILE, 19, len(text), (), "partial", 0.5, Source(HOSTILE, 0, len(HOSTILE)))
    documents = (Document("d1", "It is 15. Always.", 0.5, 1), Document(HOSTILE, HOSTILE, None, 2))
    answer = replace(
        BAD,
        answer=text,
        query=HOSTILE,
        documents=documents,
        started_at=NOW - SECOND,
        segment={HOSTILE: HOSTILE},
        model=HOSTILE,
        service_version=HOSTILE,
        prompt_version=HOSTILE,
        dialect=HOSTILE,
        feedback=(
            {"name": HOSTILE, "label": HOSTILE, "comment": HOSTILE},
            {"name": "thumbs", "label": "down"},
        ),
    )
    failed = replace(record(9_002), service=HOSTILE, environment=None, error=HOSTILE, error_message=HOSTILE)
    fill(store, [failed])
    verdict = replace(
        VERDICT, state="contradicted", support=0.0, faithfulness=0.04, claims=(claim, other), reason=HOSTILE
    )
    fill(store, [answer], verdict)


def _incident(store: SqliteStore) -> None:
    key = SeriesKey("citation", "docs", "production")
    before, now = Measurement(0.95, 0.9, 0.98, 400), Measurement(0.6, 0.5, 0.7, 80)
    at = datetime.fromtimestamp(NOW / 1e9, UTC)
    alert = Alert(
        incident_id=INCIDENT,
        dedup_key="key",
        action="trigger",
        severity="error",
        series="citation",
        service="docs",
        environment="production",
        title="Citation fell",
        summary=HOSTILE,
        before=before,
        now=now,
        since=at,
        at=at,
    )
    incident = Incident(INCIDENT, key, "key", NOW, NOW - 200 * SECOND, before, now, now)
    store.monitoring.save_incident(incident, alert, [HOSTILE])
    store.outbox.postponed(1, NOW, HOSTILE)
    away = SeriesKey("arrivals", HOSTILE, None)
    gone = Incident(
        OTHER, away, "key2", NOW, NOW - 99 * SECOND, before, now, now, segment=HOSTILE, note=HOSTILE
    )
    store.monitoring.save_incident(gone, None, ())
