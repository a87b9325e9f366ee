"""The SQLite store, on real files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.scorer.store.records import CITATION, FAILED, FAITHFULNESS, PASSED, RECORD, SECOND, scored

from ragvigil.exporters import Action, Alert, Measurement
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import Position
from ragvigil.scorer.monitoring import Incident, SeriesKey, Sums
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.port import Judgement, LedgerEntry, RawTrace, ScoredTrace
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a store file of the test's own."""
    return load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}})


@pytest.fixture
def store(settings: Settings) -> Iterator[SqliteStore]:
    """An empty store."""
    with SqliteStore(settings) as opened:
        yield opened


def ledger_of(settings: Settings) -> reading.Ledger:
    """The ledger as another process reads it."""
    with closing(open_for_reading(settings.store.path)) as connection:
        return reading.ledger(connection)


def sums(store: SqliteStore, key: SeriesKey) -> list[Sums]:
    """The rollups of a series."""
    return [bucket.sums for bucket in store.monitoring.buckets(key, 0, 10**6 * SECOND)]


def test_a_committed_record_comes_back_as_its_job_after_a_restart(
    store: SqliteStore, settings: Settings
) -> None:
    """The job that a restart hands out is the record, with ids as pseudonyms."""
    (job,) = store.records.commit([scored(RECORD)], Position(1, 7), 5)
    assert job.record is RECORD
    store.close()
    with SqliteStore(settings) as reopened:
        (again,) = reopened.records.pending()
        assert again.record.user_id not in (None, "user-7")
        assert replace(again.record, user_id="user-7") == RECORD
        assert (again.record_id, again.input_hash, again.inclusion) == (job.record_id, job.input_hash, 0.1)
        assert reopened.records.watermark() == Position(1, 7)
        assert reopened.records.raw(["a" * 32, "b" * 32]) == {
            "a" * 32: RawTrace(b"spans of " + b"a" * 32, b"")
        }


def test_a_record_that_changed_keeps_the_decision_it_began_with(
    store: SqliteStore, settings: Settings
) -> None:
    """Trap 19: a second draw at another rate would bias the mean; the stratum stays too."""
    out = LedgerEntry("checked_only", 0.1, "sampled_out", "help desk|-")
    store.records.commit([scored(RECORD, ledger=out)], None, 5)
    again = store.records.commit(
        [scored(replace(RECORD, answer="more"), ledger=LedgerEntry("pending", 0.9))], None, 6
    )
    assert again == []
    other = replace(RECORD, trace_id="c" * 32)
    store.records.commit([scored(other, ledger=LedgerEntry("pending", 0.1, stratum="help desk|-"))], None, 7)
    (job,) = store.records.commit(
        [scored(replace(other, answer="more"), ledger=LedgerEntry("checked_only", 0.05, "sampled_out"))],
        None,
        8,
    )
    assert job.inclusion == 0.1
    with closing(open_for_reading(settings.store.path)) as connection:
        rows = connection.execute("SELECT state, inclusion, stratum FROM ledger ORDER BY trace_id").fetchall()
    assert [tuple(row) for row in rows] == [
        ("checked_only", 0.1, "help desk|-"),
        ("pending", 0.1, "help desk|-"),
    ]


def test_a_state_is_remembered(store: SqliteStore, settings: Settings) -> None:
    """Under its name, the last one, across a restart."""
    assert store.records.recall("sampler") is None
    store.records.remember("sampler", "one")
    store.records.remember("sampler", "two")
    store.close()
    with SqliteStore(settings) as reopened:
        assert reopened.records.recall("sampler") == "two"


def test_committing_the_same_trace_again_changes_nothing(store: SqliteStore, settings: Settings) -> None:
    """After a crash rows are read again: no second score, count, observation or job."""
    store.records.commit([scored(RECORD)], None, 5)
    assert store.records.commit([scored(RECORD)], None, 6) == []
    assert ledger_of(settings) == reading.Ledger(1, {"pending": 1}, {})
    assert sums(store, CITATION) == [Sums.of(1.0)]


def test_a_late_span_that_changes_the_answer_makes_a_new_version(
    store: SqliteStore, settings: Settings
) -> None:
    """Old scores stay but are not current, the rollup is corrected, and the record is judged again."""
    (job,) = store.records.commit([scored(RECORD)], None, 5)
    store.records.record_judgements([Judgement(job, PASSED)], 6)
    assert sums(store, FAITHFULNESS) == [Sums.of(1.0, 10.0)]
    (again,) = store.records.commit([scored(replace(RECORD, answer="No [d9]."), citation=0.0)], None, 7)
    assert sums(store, CITATION) == [Sums.of(0.0)]
    assert sums(store, FAITHFULNESS) == []
    store.records.record_judgements([Judgement(job, PASSED)], 8)  # the verdict on the old answer arrives late
    assert sums(store, FAITHFULNESS) == []
    store.records.record_judgements([Judgement(again, FAILED)], 9)
    assert sums(store, FAITHFULNESS) == [Sums.of(0.0, 10.0)]
    assert ledger_of(settings) == reading.Ledger(1, {"judged": 1}, {})
    with closing(open_for_reading(settings.store.path)) as connection:
        assert connection.execute("SELECT version FROM records").fetchall()[0][0] == 2
        assert [row[0] for row in connection.execute("SELECT current FROM verdicts ORDER BY created_at")] == [
            0,
            1,
        ]
        rows = connection.execute(
            "SELECT s.current FROM scores s JOIN instruments i ON i.id = s.instrument_id "
            "WHERE i.judge_version = '' ORDER BY s.created_at"
        )
        assert [row[0] for row in rows] == [0, 1]


def test_a_new_version_of_a_check_replaces_the_old_score_and_begins_the_series_anew(
    store: SqliteStore, settings: Settings
) -> None:
    """One score per check is current, and figures of two instruments are never summed."""
    other = replace(RECORD, trace_id="b" * 32)
    store.records.commit([scored(RECORD), scored(other)], None, 5)
    (old,) = scored(RECORD).records
    newer = replace(old, checks=(old.checks[0]._replace(version="2", value=0.0),))
    store.records.commit([replace(scored(RECORD), records=(newer,))], None, 6)
    assert sums(store, CITATION) == [Sums.of(0.0)]
    with closing(open_for_reading(settings.store.path)) as connection:
        rows = connection.execute("SELECT value, current FROM scores ORDER BY created_at, record_id")
        assert [tuple(row) for row in rows] == [(1.0, 0), (1.0, 1), (0.0, 1)]
        assert connection.execute("SELECT count(*) FROM rollups WHERE n > 0").fetchone()[0] == 2


def test_a_late_generator_goes_on_with_the_record_of_the_root(store: SqliteStore, settings: Settings) -> None:
    """Another span stands for the same question: its version, its old scores and its decision stay."""
    root = replace(RECORD, span_id="0" * 16, answer=None)
    store.records.commit([scored(root, citation=0.0, ledger=LedgerEntry("pending", 0.1))], None, 5)
    store.records.commit([scored(RECORD)], None, 6)
    assert ledger_of(settings) == reading.Ledger(1, {"pending": 1}, {})
    assert sums(store, CITATION) == [Sums.of(1.0)]
    with closing(open_for_reading(settings.store.path)) as connection:
        rows = connection.execute(
            "SELECT span_id, version, inclusion FROM records JOIN ledger USING (span_id)"
        )
        assert [tuple(row) for row in rows] == [(RECORD.span_id, 2, 0.1)]
        kept = connection.execute("SELECT current, count(DISTINCT record_id) FROM scores GROUP BY current")
        assert [tuple(row) for row in kept] == [(0, 1), (1, 1)]
    assert store.records.commit([scored(RECORD)], None, 7) == []
    with closing(open_for_reading(settings.store.path)) as connection:
        assert connection.execute("SELECT version FROM records").fetchall()[0][0] == 2


def test_of_several_questions_each_goes_on_with_the_one_most_like_it(
    store: SqliteStore, settings: Settings
) -> None:
    """One that moves alone; then all at once: by question and answer, by question, by answer, by order."""

    def commit(now: int, *told: tuple[str, str | None, str | None]) -> None:
        each = [scored(replace(RECORD, span_id=key * 16, query=q, answer=a)) for key, q, a in told]
        all_of_it = tuple(record for one in each for record in one.records)
        store.records.commit([replace(each[0], records=all_of_it)], None, now)

    commit(5, ("1", "why?", "so"), ("2", "when?", "now"))
    commit(6, ("1", "why?", "so"), ("3", "when?", "at nine"))
    assert versions(settings) == {"1" * 16: 1, "3" * 16: 2}
    commit(7, ("4", "when?", "at ten"), ("5", "why?", "so"))
    assert versions(settings) == {"4" * 16: 3, "5" * 16: 1}
    commit(8, ("6", "what for?", "so"), ("7", None, None))
    assert versions(settings) == {"6" * 16: 2, "7" * 16: 4}
    commit(9, ("8", "else?", "no"), ("9", "who?", None), ("a", "where?", None))
    assert versions(settings) == {"8" * 16: 3, "9" * 16: 5, "a" * 16: 1}
    assert ledger_of(settings) == reading.Ledger(3, {"pending": 3}, {})


def versions(settings: Settings) -> dict[str, int]:
    """Version of each record, by span."""
    with closing(open_for_reading(settings.store.path)) as connection:
        return {row[0]: row[1] for row in connection.execute("SELECT span_id, version FROM records")}


def test_a_question_that_shows_up_late_replaces_the_filtered_trace(
    store: SqliteStore, settings: Settings
) -> None:
    """A trace counts once, whichever of its spans came first."""
    empty = ScoredTrace(RECORD.trace_id, RawTrace(b"x", b""), False)
    store.records.commit([empty], None, 5)
    assert ledger_of(settings) == reading.Ledger(1, {"filtered": 1}, {"no_question": 1})
    store.records.commit([scored(RECORD)], None, 6)
    assert ledger_of(settings) == reading.Ledger(1, {"pending": 1}, {})
    store.records.commit([empty], None, 7)
    assert ledger_of(settings) == reading.Ledger(1, {"filtered": 1}, {"no_question": 1})
    assert sums(store, CITATION) == []


def test_a_judge_that_failed_leaves_the_record_failed_and_the_series_alone(
    store: SqliteStore, settings: Settings
) -> None:
    """A dead judge is never a 0."""
    (job,) = store.records.commit([scored(RECORD)], None, 5)
    store.records.record_judgements([Judgement(job, None, "judge: TimeoutError")], 6)
    assert ledger_of(settings).states == {"failed": 1}
    assert sums(store, FAITHFULNESS) == []


def test_an_unreadable_trace_is_failed_with_its_reason(store: SqliteStore, settings: Settings) -> None:
    """Nothing disappears: what could not be read is counted."""
    store.records.commit([ScoredTrace("c" * 32, RawTrace(b"x", b""), False, failure="read")], None, 5)
    assert ledger_of(settings) == reading.Ledger(1, {"failed": 1}, {})


def test_a_failed_commit_leaves_no_trace_and_can_be_tried_again(
    store: SqliteStore, settings: Settings
) -> None:
    """A record that cannot be stored rolls the whole batch back, instrument ids included."""
    broken = replace(RECORD, trace_id="b" * 32, started_at=2**70)
    with pytest.raises(OverflowError):
        store.records.commit([scored(RECORD), scored(broken)], Position(1, 1), 5)
    assert ledger_of(settings).ingested == 0
    assert store.records.watermark() is None
    store.records.commit([scored(RECORD)], Position(1, 2), 6)
    assert ledger_of(settings).balanced


def test_text_that_no_utf8_can_hold_is_stored_readably(store: SqliteStore) -> None:
    """Lone surrogates arrive through JSON inside attributes."""
    hostile = replace(RECORD, answer="bad \ud800 [d1]", documents=(Document("d\udfff", "x", float("nan")),))
    store.records.commit([scored(hostile)], None, 5)
    (job,) = store.records.pending()
    assert job.record.answer == "bad ? [d1]"
    assert job.record.documents[0].score is None


def test_user_ids_can_be_kept_as_they_are(tmp_path: Path) -> None:
    """Whoever may store ids in the clear says so."""
    url = f"sqlite:///{tmp_path / 'plain.db'}"
    with SqliteStore(load(overrides={"store": {"url": url, "user_ids": "plain"}})) as store:
        store.records.commit([scored(RECORD)], None, 5)
        assert store.records.pending()[0].record.user_id == "user-7"


def test_a_store_keeps_the_bucket_size_it_was_made_with(settings: Settings) -> None:
    """Rollups of two grains must not mix."""
    SqliteStore(settings).close()
    other = load(overrides={"store": {"url": settings.store.url}, "monitor": {"bucket_seconds": 30}})
    with pytest.raises(StoreError, match=r"monitor.bucket_seconds is 30, but this store was made with 60"):
        SqliteStore(other)


def test_a_store_of_a_newer_version_is_not_touched(settings: Settings) -> None:
    """A downgrade must not write into a schema that it does not know."""
    SqliteStore(settings).close()
    with closing(sqlite3.connect(settings.store.path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match=r"written by a newer ragvigil \(schema 99\)"):
        SqliteStore(settings)


def test_a_file_that_is_somebody_elses_is_not_touched(settings: Settings) -> None:
    """A path typed wrongly must not fill another database with tables."""
    with closing(sqlite3.connect(settings.store.path)) as connection:
        connection.execute("CREATE TABLE customers (id)")
    with pytest.raises(StoreError, match="holds tables that are not ragvigil's"):
        SqliteStore(settings)


def test_reading_a_store_that_is_not_there_names_the_command_that_makes_one(tmp_path: Path) -> None:
    """The reader is told what to do."""
    with pytest.raises(StoreError, match="ragvigil serve --store sqlite:///"):
        open_for_reading(tmp_path / "none.db")


def test_an_answer_stands_for_those_that_a_sampler_left_out_before_us(store: SqliteStore) -> None:
    """Citation weighs 1 / p, faithfulness 1 / (inclusion * p), and the probability is kept."""
    record = replace(RECORD, upstream_probability=0.25)
    (job,) = store.records.commit([scored(record)], None, 1)
    assert job.record.upstream_probability == 0.25
    assert store.records.pending()[0].record.upstream_probability == 0.25
    store.records.record_judgements([Judgement(job, PASSED)], 2)
    for key, weight in ((CITATION, 4.0), (FAITHFULNESS, 40.0)):
        (bucket,) = store.monitoring.buckets(key, 0, 1_000 * SECOND)
        assert (bucket.sums.n, bucket.sums.w, bucket.sums.wx) == (1, weight, weight)


def test_sums_over_a_stretch_are_those_of_its_buckets(store: SqliteStore) -> None:
    """What a baseline reads at once is what it would add up."""
    started = (30, 90, 100, 400)
    records = [
        replace(RECORD, trace_id=f"{at:032x}", started_at=at * SECOND, upstream_probability=1 / at)
        for at in started
    ]
    store.records.commit([scored(record) for record in records], None, 1)
    for since, until, n in ((0, 1000, 4), (60, 400, 3), (60, 360, 2), (500, 1000, 0)):
        found = store.monitoring.sums(CITATION, since * SECOND, until * SECOND)
        buckets = store.monitoring.buckets(CITATION, since * SECOND, until * SECOND)
        assert found == sum((bucket.sums for bucket in buckets), Sums())
        assert found.n == n


def test_a_verdict_follows_what_late_spans_say_of_its_weight_and_time(store: SqliteStore) -> None:
    """A late root moves the start and knows the sampler; the verdict stands, and counts once."""
    late = replace(RECORD, upstream_probability=0.5, started_at=30 * SECOND)
    (job,) = store.records.commit([scored(RECORD)], None, 1)
    store.records.record_judgements([Judgement(job, PASSED)], 2)
    assert store.records.commit([scored(late)], None, 3) == []
    for key, weight in ((CITATION, 2.0), (FAITHFULNESS, 20.0)):
        sums = [bucket.sums for bucket in store.monitoring.buckets(key, 0, 1_000 * SECOND) if bucket.sums.n]
        assert [(each.n, each.w, each.wx) for each in sums] == [(1, weight, weight)]


def test_what_a_channel_called_its_message_comes_back_with_the_next_alert(
    store: SqliteStore, settings: Settings
) -> None:
    """Per incident and channel, after a restart too; an outcome without one keeps what is kept."""
    rate = Measurement(0.5, 0.4, 0.6, 80)
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    incidents = [
        Incident(name, key, name, SECOND, SECOND, rate, rate, rate)
        for name, key in (("inc-1", CITATION), ("inc-2", FAITHFULNESS))
    ]

    def say(told_by: SqliteStore, action: Action) -> None:
        for incident in incidents:
            alert = Alert(
                incident.id, "key", action, "error", "citation", "docs", None, "It fell", "", rate, rate,
                since=moment, at=moment,
            )  # fmt: skip
            told_by.monitoring.save_incident(incident, alert, ["slack", "mail"])

    say(store, "trigger")
    for due in store.outbox.due(2 * 10**18, 100):
        assert due.reference is None
        said = "C1 17.01" if (due.alert.incident_id, due.channel) == ("inc-1", "slack") else None
        store.outbox.delivered(due.id, 1, said)
    store.close()
    with SqliteStore(settings) as again:
        again.monitoring.save_incident(incidents[0], None, [])
        steps: tuple[tuple[Action, str | None], ...] = (("update", None), ("resolve", "C1 18.02"))
        for action, reference in steps:
            say(again, action)
            rows = again.outbox.due(2 * 10**18, 100)
            told = {(row.alert.incident_id, row.channel): row.reference for row in rows}
            assert told == dict.fromkeys(told) | {("inc-1", "slack"): "C1 17.01"}
            for row in rows:
                again.outbox.delivered(row.id, 2, reference)
        assert again.outbox.due(2 * 10**18, 100) == []
    with closing(open_for_reading(settings.store.path)) as connection:
        kept = connection.execute("SELECT reference FROM channel_messages").fetchall()
    assert [row[0] for row in kept] == ["C1 18.02"] * 4
