"""Content goes by age and by a ceiling, oldest first; figures stay; the file shrinks."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragvigil.exporters import Alert, Example, Measurement
from ragvigil.scorer.config import Retention as Settings
from ragvigil.scorer.config import load
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.retention import Retention
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.audit import audit
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import CheckResult

DAY = 86_400 * 10**9
CITATION = SeriesKey("citation", "docs", None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store."""
    with SqliteStore(load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'r.db'}"}})) as opened:
        yield opened


def commit(store: SqliteStore, number: int, *, day: int, size: int = 100, state: str = "checked_only") -> str:
    """A trace of that day, with so many bytes of a passage that no compression makes smaller."""
    trace_id = f"{number:032x}"
    passage = f"words of trace {number} {os.urandom(size // 2).hex()}"
    record = RagTrace(
        trace_id, "1" * 16, "docs", day * DAY, query=f"words of trace {number}?", answer=passage,
        documents=(Document("d", passage),), error_message=passage,
    )  # fmt: skip
    check = CheckResult("citation_correctness", "1", 0.0, passage)
    ledger = LedgerEntry("pending" if state == "pending" else "checked_only", 1.0)
    scored = ScoredTrace(
        trace_id, RawTrace(passage.encode(), b""), False, (ScoredRecord(record, (check,), ledger),)
    )
    store.records.commit([scored], None, day * DAY)
    return trace_id


def sweep(store: SqliteStore, settings: Settings, *, day: int) -> None:
    """All that retention has to do on that day."""
    retention = Retention(store.retention, settings)
    while retention.step(day * DAY):
        pass


def stored(store: SqliteStore, tmp_path: Path) -> bytes:
    """The bytes of the file, with the log written back."""
    store.checkpoint()
    return (tmp_path / "r.db").read_bytes()


def test_content_goes_by_age_and_figures_stay(store: SqliteStore, tmp_path: Path) -> None:
    """Not a byte of the text is left in the file; the rollup and the ledger are what they were."""
    old, young = commit(store, 1, day=1, state="pending"), commit(store, 2, day=20)
    before = store.monitoring.buckets(CITATION, 0, 100 * DAY)
    sweep(store, Settings(content_days=10), day=25)
    assert store.records.raw([old, young])[old] == RawTrace(b"", b"", gone=True)
    assert not store.records.raw([young])[young].gone
    assert store.records.pending() == []
    assert store.monitoring.buckets(CITATION, 0, 100 * DAY) == before
    content = stored(store, tmp_path)
    assert b"words of trace 1" not in content
    assert b"words of trace 2" in content
    with closing(reading.open_for_reading(tmp_path / "r.db")) as connection:
        ledger, disk = reading.ledger(connection), reading.disk(connection, tmp_path / "r.db")
    assert ledger.balanced
    assert ledger.states == {"expired": 1, "checked_only": 1}
    assert (disk.traces_with_content, disk.expired, disk.expired_early) == (1, 1, 0)


def test_over_the_ceiling_the_oldest_goes_first_and_the_file_shrinks(
    store: SqliteStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is counted and said, and no more goes than must."""
    for number in range(400):
        commit(store, number, day=number, size=20_000)
    store.checkpoint()
    full = (tmp_path / "r.db").stat().st_size
    with caplog.at_level(logging.WARNING):
        sweep(store, Settings(content_days=1_000, scores_days=1_000, max_disk_bytes=full // 3), day=401)
    store.checkpoint()
    assert store.retention.used_bytes() <= full // 3
    assert (tmp_path / "r.db").stat().st_size < full // 3 + 2_100 * 4096
    left = store.records.raw([f"{number:032x}" for number in range(400)])
    gone = [trace.gone for _, trace in sorted(left.items())]
    assert gone == sorted(gone, reverse=True)
    assert 150 < sum(gone) < 400
    assert f"content of {sum(gone)} traces went before its time" in caplog.text


def test_scores_go_by_age_and_the_rollups_stay(store: SqliteStore, tmp_path: Path) -> None:
    """With their ledger rows, traces without a question too; every sum still holds."""
    old, young = commit(store, 1, day=1), commit(store, 2, day=300)
    nothing = ScoredTrace(f"{3:032x}", RawTrace(b"", b""), False)
    store.records.commit([nothing], None, DAY)
    before = store.monitoring.buckets(CITATION, 0, 500 * DAY)
    sweep(store, Settings(content_days=10, scores_days=400), day=399)
    assert store.records.raw([old])[old].gone
    sweep(store, Settings(content_days=10, scores_days=400), day=402)
    assert store.records.raw([old, young, nothing.trace_id]).keys() == {young}
    assert store.monitoring.buckets(CITATION, 0, 500 * DAY) == before
    assert old.encode() not in stored(store, tmp_path)
    with closing(reading.open_for_reading(tmp_path / "r.db")) as connection:
        ledger, disk = reading.ledger(connection), reading.disk(connection, tmp_path / "r.db")
    assert (ledger.ingested, ledger.deleted, ledger.states, ledger.balanced) == (
        3,
        2,
        {"checked_only": 1},
        True,
    )
    assert (disk.records_expired, disk.records_expired_early) == (2, 0)
    assert audit(tmp_path / "r.db", tmp_path / "r-inbox").problems == ()


def test_when_no_content_is_left_the_oldest_scores_go_for_the_ceiling(
    store: SqliteStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The ceiling holds whatever is written; it is said, and the newest stay."""
    for number in range(2_000):
        commit(store, number, day=number)
    sweep(store, Settings(content_days=1, scores_days=9_000), day=2_010)
    whole = store.retention.used_bytes()
    with caplog.at_level(logging.WARNING):
        sweep(store, Settings(scores_days=9_000).model_copy(update={"max_disk_bytes": whole // 2}), day=2_010)
    assert store.retention.used_bytes() <= whole // 2
    known = store.records.raw([f"{number:032x}" for number in range(2_000)])
    assert 100 < len(known) < 1_500
    assert min(known) == f"{2_000 - len(known):032x}"
    assert f"{2_000 - len(known)} records went with their scores before their time" in caplog.text
    assert audit(tmp_path / "r.db", tmp_path / "r-inbox").problems == ()


def test_scores_do_not_go_before_their_content() -> None:
    """The error names both."""
    with pytest.raises(ConfigError, match="scores_days must be at least content_days, which is 30"):
        load(overrides={"retention": {"scores_days": 20}})


def test_a_ceiling_below_what_must_stay_is_said_once(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Retention does not spin on it."""
    commit(store, 1, day=1, size=3_000_000)
    retention = Retention(store.retention, Settings().model_copy(update={"max_disk_bytes": 1}))
    assert [retention.step(2 * DAY) for _ in range(12)][-2:] == [False, False]
    assert caplog.text.count("nothing is left that may go") == 1


def test_examples_of_an_open_incident_stay_as_long_as_it(store: SqliteStore) -> None:
    """Who is paged can still look."""
    shown, other = commit(store, 1, day=1), commit(store, 2, day=1)
    rate = Measurement(0.5, 0.4, 0.6, 50)
    incident = Incident("i", CITATION, "key", DAY, DAY, rate, rate, rate, None, None)
    moment = some_moment()
    alert = Alert(
        "i", "key", "trigger", "error", "citation", "docs", None, "fell", "", rate, rate, since=moment, at=moment,
        examples=(Example(shown, "q", "a", "why"),),
    )  # fmt: skip
    store.monitoring.save_incident(incident, alert, ["oncall"])
    sweep(store, Settings(content_days=10), day=25)
    known = store.records.raw([shown, other])
    assert (known[shown].gone, known[other].gone) == (False, True)
    store.monitoring.save_incident(replace(incident, resolved_at=26 * DAY), None, ())
    sweep(store, Settings(content_days=10), day=27)
    assert store.records.raw([shown])[shown].gone


def some_moment() -> datetime:
    """Any moment."""
    return datetime(2026, 3, 1, tzinfo=UTC)
