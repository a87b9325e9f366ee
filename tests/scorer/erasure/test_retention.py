"""Content goes by age and by a ceiling, oldest first; figures stay; the file shrinks."""

from __future__ import annotations

import json
import logging
import os
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.exporters import Action, Alert, Example, Measurement
from ragvigil.scorer.config import Retention as Settings
from ragvigil.scorer.config import load
from ragvigil.scorer.erasure.retention import Retention
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.inbox import Arrival, InboxWriter
from ragvigil.scorer.inbox.segments import segments
from ragvigil.scorer.incidents.oncall import Silence
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store import reading
from ragvigil.scorer.store._sqlite_retention import SqliteRetention
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


def test_a_late_word_does_not_renew_content(store: SqliteStore, tmp_path: Path) -> None:
    """Of an answer that is voted on every few days all would be kept for ever."""
    old, young = commit(store, 1, day=1), commit(store, 2, day=20)
    for day in (8, 15, 22):
        assert commit(store, 1, day=day) == old
    sweep(store, Settings(content_days=10), day=25)
    assert store.records.raw([old, young])[old].gone
    assert not store.records.raw([young])[young].gone
    assert b"words of trace 1" not in stored(store, tmp_path)


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


def test_rollups_do_not_drive_out_content_and_records(
    store: SqliteStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Over a ceiling that old rollups pass alone all of both went, and the store still stood above it."""
    for number in range(400):
        commit(store, number, day=1, size=4_000)
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection, connection:
        connection.execute(
            "WITH RECURSIVE years(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM years WHERE n < 45000) "
            "INSERT INTO rollups (series, service, environment, instrument_id, bucket, n, w, wx, w2, w2x, w2x2) "
            "SELECT 'citation', 'docs', '', 1, n, 1, 1.5, 1.5, 2.25, 2.25, 2.25 FROM years"
        )
    rollups = store.retention.rollup_bytes()
    assert rollups == 45_001 * 110
    settings = Settings(content_days=1_000, scores_days=1_000, max_disk_bytes=4_000_000)
    sweep(store, settings, day=2)
    contents, records = store.retention.held()
    assert contents > 20
    assert records == 400
    assert rollups < store.retention.used_bytes() <= rollups + 2_000_000
    assert caplog.text.count("rollups never go and take about 5.0 MB") == 1
    store.checkpoint()
    with closing(reading.open_for_reading(tmp_path / "r.db")) as connection:
        disk = reading.disk(connection, tmp_path / "r.db")
    assert disk.rollup_bytes == rollups
    where = ("--store", f"sqlite:///{tmp_path / 'r.db'}")
    assert "rollups, which never go" not in ragvigil("status", *where).stdout
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection, connection:
        connection.execute("UPDATE counters SET value = 2000000 WHERE name = 'rollups'")
    assert "rollups, which never go, take about 220.0 MB" in ragvigil("status", *where).stdout


def test_under_load_more_goes_than_comes(store: SqliteStore, caplog: pytest.LogCaptureFixture) -> None:
    """With each turn as many traces as one commit writes: the store does not grow meanwhile, nor does the log."""
    settings = Settings(content_days=1_000, scores_days=1_000, max_disk_bytes=2_000_000)
    retention = Retention(store.retention, settings)
    after = list[int]()
    for number in range(1_000):
        commit(store, number, day=1, size=8_000)
        if number % 200 == 199:
            retention.keep_up(2 * DAY + number * 10**9, 200)
            after.append(store.retention.used_bytes())
        retention.step(2 * DAY + number * 10**9)
    assert max(after) <= settings.max_disk_bytes
    assert caplog.text.count("went before its time") == 1
    retention.step(3 * DAY)
    assert caplog.text.count("went before its time") == 2


def instructions(path: Path, settings: Settings, day: int) -> int:
    """What SQLite does in one step of retention, in tens of its instructions."""
    done = 0

    def count() -> int:
        nonlocal done
        done += 1
        return 0

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.set_progress_handler(count, 10)
        Retention(SqliteRetention(connection), settings).step(day * DAY)
    return done


@pytest.mark.parametrize(
    "settings",
    [Settings(), Settings().model_copy(update={"max_disk_bytes": 1}), Settings(content_days=1.0)],
    ids=["nothing is old", "over the ceiling", "all is old"],
)
def test_a_step_costs_the_same_however_much_is_stored(
    store: SqliteStore, tmp_path: Path, settings: Settings
) -> None:
    """A step that reads all of the store takes a quarter of a second at 60,000 traces, six times a minute."""
    taken = list[int]()
    for numbers in (range(200), range(200, 1_000)):
        for number in numbers:
            commit(store, number, day=1)
        taken.append(instructions(tmp_path / "r.db", settings, day=3))
    assert taken[1] < 1.2 * taken[0]


def test_the_ceiling_holds_under_a_clock_that_was_set_back(store: SqliteStore, tmp_path: Path) -> None:
    """What was stamped before that lies in the future: what was written first goes first all the same."""
    for number in range(100):
        commit(store, number, day=900, size=20_000)
    for number in range(100, 200):
        commit(store, number, day=2, size=20_000)
    half = store.retention.used_bytes() // 2
    sweep(store, Settings(max_disk_bytes=half), day=3)
    assert store.retention.used_bytes() <= half
    left = store.records.raw([f"{number:032x}" for number in range(200)])
    gone = [trace.gone for _, trace in sorted(left.items())]
    assert gone == sorted(gone, reverse=True)
    sweep(store, Settings().model_copy(update={"max_disk_bytes": 1}), day=3)
    assert not store.records.raw([f"{number:032x}" for number in range(200)])
    assert audit(tmp_path / "r.db", tmp_path / "r-inbox").problems == ()


def test_a_wall_clock_that_is_set_ahead_takes_nothing_away(store: SqliteStore, tmp_path: Path) -> None:
    """Of two years only an hour has passed; once thirty days have, the content goes, and the scores stay."""
    commit(store, 1, day=1)
    hours = [0]
    settings = Settings(content_days=30, scores_days=400)
    retention = Retention(store.retention, settings, ticks=lambda: hours[0] * DAY // 24)
    retention.step(2 * DAY)
    hours[0] = 1
    retention.step(800 * DAY)
    assert not store.records.raw([f"{1:032x}"])[f"{1:032x}"].gone
    assert retention.content_since(800 * DAY) < DAY  # what the judge said goes by the same
    hours[0] = 24 * 30
    retention.step(830 * DAY)
    assert store.records.raw([f"{1:032x}"])[f"{1:032x}"].gone
    with closing(sqlite3.connect(tmp_path / "r.db")) as other:
        assert other.execute("SELECT count(*) FROM records").fetchone() == (1,)


def test_a_clock_that_is_wrong_at_the_start_takes_nothing_away(store: SqliteStore) -> None:
    """A machine without a battery asks for the time once it runs; until it knows, nothing is old."""
    trace = commit(store, 1, day=1)
    minutes = [0]
    settings = Settings(content_days=30, scores_days=400)
    retention = Retention(store.retention, settings, ticks=lambda: minutes[0] * DAY // 1440)
    for minute, day in ((0, 800), (4, 800), (5, 2), (15, 2)):
        minutes[0] = minute
        retention.step(day * DAY)
        assert not store.records.raw([trace])[trace].gone
    minutes[0] = 40 * 1440
    retention.step(42 * DAY)
    assert store.records.raw([trace])[trace].gone


def step_at(store: SqliteStore, settings: Settings, ticks: int, *, day: int) -> None:
    """A new process, on a machine that was started so many nanoseconds ago, at the begin of that day."""
    Retention(store.retention, settings, ticks=lambda: ticks).step(day * DAY + ticks)


def test_a_service_that_starts_anew_every_nine_minutes_deletes_what_is_old(store: SqliteStore) -> None:
    """It waited ten minutes after each start, and so it never did."""
    trace = commit(store, 1, day=1)
    settings, gone = Settings(content_days=30, scores_days=400), list[bool]()
    for minute in (500, 509, 518):
        moment = minute * DAY // 1440
        for later in (0, 8 * DAY // 1440):
            step_at(store, settings, moment + later, day=42)
        gone.append(store.records.raw([trace])[trace].gone)
    assert gone == [False, True, True]


@pytest.mark.parametrize(
    ("minutes", "days"),
    [((500, 509, 511), (42, 800, 800)), ((500, 1, 8), (42, 42, 42)), ((1, 5, 11), (800, 42, 42))],
    ids=["set ahead", "another machine", "set right"],
)
def test_a_clock_that_is_not_the_remembered_one_is_waited_for_anew(
    store: SqliteStore, minutes: tuple[int, ...], days: tuple[int, ...]
) -> None:
    """What was remembered of another machine's clock, or of this one before it was set, says nothing of it."""
    trace = commit(store, 1, day=1)
    settings = Settings(content_days=30, scores_days=400)
    for minute, day in zip(minutes, days, strict=True):
        step_at(store, settings, minute * DAY // 1440, day=day)
        assert not store.records.raw([trace])[trace].gone


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


def test_a_store_full_of_scores_keeps_the_content_of_the_newest(store: SqliteStore, tmp_path: Path) -> None:
    """What has just come has to be judged and looked at: the oldest scores make room for it."""
    for number in range(800):
        commit(store, number, day=1)
    sweep(store, Settings(content_days=1), day=3)
    ceiling = store.retention.used_bytes()
    settings = Settings(content_days=30, scores_days=400).model_copy(update={"max_disk_bytes": ceiling})
    retention = Retention(store.retention, settings)
    waiting = list[int]()
    for number in range(800, 1_600):
        commit(store, number, day=4, state="pending")
        if number % 10 == 9:
            while retention.step(4 * DAY):
                pass
            waiting.append(len(store.records.pending()))
    assert store.retention.used_bytes() <= ceiling
    assert min(waiting[20:]) > 40
    left = [job.record.trace_id for job in store.records.pending()]
    assert left == [f"{number:032x}" for number in range(1_600 - len(left), 1_600)]
    assert len(store.records.raw([f"{number:032x}" for number in range(1_600)])) > 2 * len(left)
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


def say(store: SqliteStore, name: str, action: Action, day: int, taking: Sequence[str]) -> None:
    """A message about that incident to two channels, and which of them take it."""
    rate, moment = Measurement(0.5, 0.4, 0.6, 50), datetime.fromtimestamp(day * 86_400, UTC)
    ended = day * DAY if action == "resolve" else None
    key = SeriesKey("citation", name, None)
    incident = Incident(name, key, name, DAY, DAY, rate, rate, rate, None, ended)
    alert = Alert(
        name, name, action, "error", "citation", name, None, "fell", "", rate, rate, since=moment, at=moment
    )
    store.monitoring.save_incident(incident, alert, ["oncall", "chat"])
    for row in store.outbox.due(day * DAY, 100):
        if row.channel in taking:
            store.outbox.delivered(row.id, day * DAY, "C1")


def test_messages_go_with_the_content_and_incidents_stay(store: SqliteStore, tmp_path: Path) -> None:
    """Of what is over all, unless one still waits; of what is open all before the latest that a channel took."""
    both = ("oncall", "chat")
    for name, end in (("over", 3), ("young", 20)):
        say(store, name, "trigger", 1, both)
        say(store, name, "resolve", end, both)
    for day in range(1, 10):
        say(store, "open", "update", day, both)
    say(store, "waits", "trigger", 1, both)
    say(store, "waits", "resolve", 3, ("oncall",))
    store.oncall.silence(Silence("old", DAY, 5 * DAY, "", "ana"), DAY)
    store.oncall.silence(Silence("new", DAY, 24 * DAY, "", "ana"), DAY)
    sweep(store, Settings(content_days=10), day=25)
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection:
        left = connection.execute("SELECT incident_id, count(*) FROM outbox GROUP BY incident_id").fetchall()
        assert dict(left) == {"open": 2, "waits": 4, "young": 4}
        (known,) = connection.execute("SELECT group_concat(id) FROM incidents").fetchone()
        assert set(known.split(",")) == {"over", "young", "open", "waits"}
        kept = connection.execute("SELECT DISTINCT incident_id FROM channel_messages ORDER BY 1").fetchall()
        assert kept == [("open",), ("waits",), ("young",)]
        assert connection.execute("SELECT id FROM silences").fetchall() == [("new",)]
    sweep(store, Settings(content_days=10), day=29)
    say(store, "open", "resolve", 30, both)
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection:
        told = connection.execute(
            "SELECT channel, action FROM outbox WHERE incident_id = 'open' ORDER BY id"
        ).fetchall()
    assert told[-2:] == [("oncall", "resolve"), ("chat", "resolve")]


def test_status_says_what_the_disk_holds_and_for_how_long_unredacted(
    store: SqliteStore, tmp_path: Path
) -> None:
    """A warning as soon as content stays in the inbox for more than 15 minutes."""
    commit(store, 1, day=1)
    commit(store, 2, day=20)
    sweep(store, Settings(content_days=10), day=25)
    where = ("--store", str(tmp_path / "r.db"))
    arrival = Arrival("spans", bytes(16), b"as received", time.time_ns() - 60 * 10**9)
    with closing(InboxWriter(tmp_path / "r-inbox")) as inbox:
        inbox.append([arrival]).result(10)
    text = ragvigil("status", *where).stdout
    assert "1 traces with content, of 1 it was taken out (0 before its time)" in text
    assert re.search(r"inbox: 0\.\d MB, the oldest content as received \d\d+ s ago", text)
    assert "WARNING" not in text
    with closing(sqlite3.connect(segments(tmp_path / "r-inbox")[0][1])) as segment, segment:
        segment.execute("UPDATE rows SET received_at = received_at - 900 * 1000000000")
    assert (
        "WARNING: content that is not redacted stays for more than 15 minutes"
        in ragvigil("status", *where).stdout
    )
    shown = json.loads(ragvigil("status", "--json", *where).stdout)
    assert shown["inbox"]["too_old"] is True
    assert 900 < shown["inbox"]["oldest_seconds"] < 2_000
    assert shown["disk"]["traces_with_content"] == shown["disk"]["expired"] == 1


def some_moment() -> datetime:
    """Any moment."""
    return datetime(2026, 3, 1, tzinfo=UTC)
