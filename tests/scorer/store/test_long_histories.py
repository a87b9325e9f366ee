"""Years of what is over cost no more than what is there now."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.store.test_open_incidents import RATE, alert

from ragvigil.scorer.config import load
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store._sqlite_monitoring import SqliteMonitoring
from ragvigil.scorer.store._sqlite_observations import SqliteObservations
from ragvigil.scorer.store._sqlite_outbox import SqliteOutbox, post
from ragvigil.scorer.store._sqlite_watching import SqliteWatching
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.port import Place

KEY = SeriesKey("citation", "docs", None)
LATER = 2**61


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """To a store of this version."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    with SqliteStore(settings, durable=False):
        pass
    with closing(sqlite3.connect(settings.store.path, isolation_level=None)) as opened:
        opened.row_factory = sqlite3.Row
        opened.execute("PRAGMA foreign_keys = OFF")
        yield opened


def instructions(connection: sqlite3.Connection, work: Callable[[], object]) -> int:
    """Of SQLite's, in tens."""
    done = 0

    def count() -> int:
        nonlocal done
        done += 1
        return 0

    connection.set_progress_handler(count, 10)
    work()
    connection.set_progress_handler(None, 0)
    return done


def test_incidents_of_other_services_cost_a_look_at_a_series_nothing(connection: sqlite3.Connection) -> None:
    """They are kept for ever: with 5,000 of them a tick over 1,000 series read five million rows."""
    monitoring = SqliteMonitoring(connection, {})

    def look() -> None:
        monitoring.neighbours(KEY, LATER)
        monitoring.incident_spans(KEY, LATER)

    before = instructions(connection, look)
    for number in range(300):
        other = KEY._replace(service=f"service-{number}")
        over = Incident(f"i{number}", other, f"k{number}", 1, 1, RATE, RATE, RATE, resolved_at=2)
        monitoring.save_incident(over, None, ())
    assert instructions(connection, look) <= before + 2


def test_messages_that_were_delivered_cost_a_look_at_what_is_due_nothing(
    connection: sqlite3.Connection,
) -> None:
    """The queue is asked every second, and what was sent stays for weeks."""
    outbox = SqliteOutbox(connection)
    before = instructions(connection, lambda: outbox.due(LATER, 20))
    for number in range(300):
        post(connection, alert(number), ["oncall"])
    connection.execute("UPDATE outbox SET delivered_at = 5")
    assert instructions(connection, lambda: outbox.due(LATER, 20)) <= before + 2


def test_a_page_does_not_wait_behind_tickets(connection: sqlite3.Connection) -> None:
    """After an outage of the channel 200 of them would go first."""
    for number in range(5):
        post(connection, replace(alert(number), severity="warning"), ["oncall"])
    post(connection, replace(alert(5), severity="critical"), ["oncall"])
    post(connection, alert(6), ["oncall"])
    due = SqliteOutbox(connection).due(LATER, 4)
    assert [one.alert.incident_id for one in due] == ["i5", "i6", "i0", "i1"]


def test_records_of_other_batches_cost_no_look_whether_one_has_its_verdicts(
    connection: sqlite3.Connection,
) -> None:
    """Eight days of them are kept: of 800,000 each look took a tenth of a second."""
    watching = SqliteWatching(
        connection, SqliteMonitoring(connection, {}), SqliteObservations(connection, bucket_nanoseconds=1)
    )

    def look() -> bool:
        return watching.waits(Place("docs", None), 1_000, 900)

    before = instructions(connection, look)
    connection.executemany(
        "INSERT INTO sightings (record_id, service, environment, started_at, segment, conversation, batch) "
        "VALUES (?, 'docs', '', ?, '{}', 1, 800)",
        ((number, 400 + number) for number in range(300)),
    )
    assert instructions(connection, look) <= before + 2
