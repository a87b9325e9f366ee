"""Minutes of rollups whose records are gone become hours, so that rollups that never go stay few."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tests.scorer.erasure.test_retention import CITATION, commit

from ragvigil.scorer.config import Retention as Settings
from ragvigil.scorer.config import load
from ragvigil.scorer.erasure.retention import MINUTES_DAYS, Retention
from ragvigil.scorer.moments import DAY, HOUR, MINUTE
from ragvigil.scorer.store.sqlite import SqliteStore

_COLUMNS = "n, w, wx, w2, w2x, w2x2, settled_n, settled_w, settled_wx"
_BY_HOUR = "SELECT series, service, environment, instrument_id, bucket / 3600000000000, " + ", ".join(
    f"sum({name})" for name in _COLUMNS.split(", ")
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'r.db'}"}})
    with SqliteStore(settings, durable=False) as opened:
        yield opened


SHORT = Settings(content_days=30, scores_days=60)


def live(path: Path, services: int, days: int, *, each: int) -> None:
    """Rollups of so many services and days, one every `each` minutes, of records that are all deleted."""
    chance = random.Random(1)
    with closing(sqlite3.connect(path)) as connection, connection:
        for service in range(services):
            rows = list[tuple[object, ...]]()
            for minute in range(0, days * 1440, each):
                n = chance.randint(1, 4)
                w = n / chance.uniform(0.01, 1.0)
                x = chance.random()
                rows.append(
                    (
                        f"s{service}",
                        minute * MINUTE,
                        n,
                        w,
                        w * x,
                        w * w,
                        w * w * x,
                        w * w * x * x,
                        n,
                        w,
                        w * x,
                    )
                )
            connection.executemany(
                f"INSERT INTO rollups (series, service, environment, instrument_id, bucket, {_COLUMNS}) "
                "VALUES ('citation', ?, '', 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )


def hours_of(path: Path) -> Sequence[tuple[object, ...]]:
    """Every sum of every hour."""
    with closing(sqlite3.connect(path)) as connection:
        rows: list[tuple[object, ...]] = connection.execute(
            f"{_BY_HOUR} FROM rollups GROUP BY 1, 2, 3, 4, 5"
        ).fetchall()
    return rows


def rows_of(path: Path) -> int:
    """How many rows there are, counted and by the counter."""
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM rollups").fetchone()
        (counter,) = connection.execute("SELECT value FROM counters WHERE name = 'rollups'").fetchone()
    assert count == counter
    return int(count)


def run(retention: Retention, now: int) -> int:
    """Step until there is nothing to do; how many steps that took."""
    steps = 1
    while retention.step(now):
        steps += 1
    return steps


def test_a_year_of_minutes_shrinks_to_hours_and_no_sum_of_an_hour_changes(
    store: SqliteStore, tmp_path: Path
) -> None:
    """The last ninety days stay minutes; each step takes a day of one series, and there is an end."""
    path = tmp_path / "r.db"
    live(path, services=3, days=365, each=12)
    before, rows = hours_of(path), rows_of(path)
    assert rows == 3 * 365 * 120
    retention = Retention(store.retention, SHORT)
    steps = run(retention, 365 * DAY + 5 * HOUR)
    assert hours_of(path) == before  # bit for bit
    old = 365 - int(MINUTES_DAYS)
    assert rows_of(path) == 3 * (old * 24 + (365 - old) * 120)
    assert 3 * old <= steps <= 3 * old + 5
    assert run(retention, 365 * DAY + 6 * HOUR) == 1
    assert run(retention, 367 * DAY) < 10  # goes on where it was
    assert rows_of(path) == 3 * ((old + 2) * 24 + (363 - old) * 120)
    assert hours_of(path) == before


def test_a_pass_that_was_cut_off_goes_on_after_a_restart(store: SqliteStore, tmp_path: Path) -> None:
    """Its place is kept with what it did."""
    path = tmp_path / "r.db"
    live(path, services=2, days=100, each=30)
    now = 100 * DAY
    for _ in range(7):
        assert Retention(store.retention, SHORT).step(now)
    assert rows_of(path) == 2 * 100 * 48 - 7 * 24
    assert run(Retention(store.retention, SHORT), now) == 2 * 10 - 7 + 1
    assert rows_of(path) == 2 * (90 * 48 + 10 * 24)


def test_minutes_with_records_stay_and_late_ones_add_to_the_hour(store: SqliteStore, tmp_path: Path) -> None:
    """A record that is still there can change, and takes its part away from the minute where it put it."""
    path = tmp_path / "r.db"
    live(path, services=1, days=2, each=6)
    commit(store, 1, day=1)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM rollups WHERE service = 's0' AND bucket = ?", (DAY,))
        connection.execute("UPDATE rollups SET service = 'docs'")
        connection.execute("UPDATE rollups SET settled_n = n - 1 WHERE bucket = ?", (5 * HOUR + 12 * MINUTE,))
    while store.retention.merge_minutes(200 * DAY):
        pass
    assert rows_of(path) == 46 + 2 * 10  # an hour of each day has one
    before = store.monitoring.sums(CITATION, 0, 2 * DAY)
    commit(store, 2, day=0)  # its minute is the hour now
    assert rows_of(path) == 46 + 2 * 10
    assert store.monitoring.sums(CITATION, 0, HOUR - 1).n > 10
    assert store.monitoring.sums(CITATION, 0, 2 * DAY).n == before.n + 1
    run(Retention(store.retention, SHORT), 300 * DAY)
    assert store.monitoring.sums(CITATION, 0, 2 * DAY).n == before.n + 1
    with closing(sqlite3.connect(path)) as connection:
        first, last = connection.execute(
            "SELECT n, settled_n FROM rollups WHERE bucket IN (0, ?) ORDER BY bucket", (DAY,)
        ).fetchall()
    assert first[0] == first[1]
    assert last == (1, 1)


def test_a_baseline_of_months_keeps_its_minutes(store: SqliteStore, tmp_path: Path) -> None:
    """Nothing that a rule compares is merged under it."""
    path = tmp_path / "r.db"
    live(path, services=1, days=200, each=30)
    run(Retention(store.retention, SHORT, minutes_days=150.0), 200 * DAY)
    assert rows_of(path) == 50 * 24 + 150 * 48


def test_minutes_stay_while_their_records_do(store: SqliteStore, tmp_path: Path) -> None:
    """A pass that is over does not come back for them."""
    path = tmp_path / "r.db"
    live(path, services=1, days=200, each=30)
    run(Retention(store.retention, Settings(scores_days=150)), 200 * DAY)
    assert rows_of(path) == 43 * 24 + 157 * 48
