"""A store of an earlier version is brought up to date, and one that cannot be is refused with a sentence."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.schema_version import SCHEMA_VERSION
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace

FIRST = files("ragvigil.scorer.store").joinpath("schema/0001_initial.sql").read_text()
ARRIVALS = (
    "CREATE TABLE arrivals (service TEXT NOT NULL, environment TEXT NOT NULL, minute INTEGER NOT NULL, "
    "traces INTEGER NOT NULL, answers INTEGER NOT NULL, PRIMARY KEY (service, environment, minute)) WITHOUT ROWID;"
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Of a store that is not made yet."""
    return load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}})


def make(settings: Settings, script: str) -> None:
    """A store of version 1 with these tables, and something to keep."""
    with closing(sqlite3.connect(settings.store.path)) as connection:
        connection.executescript(script)
        connection.execute("INSERT INTO meta VALUES ('user_id_key', 'the same')")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()


def told(settings: Settings, question: str) -> list[tuple[object, ...]]:
    """What the file answers."""
    with closing(sqlite3.connect(settings.store.path)) as connection:
        return connection.execute(question).fetchall()


@pytest.mark.parametrize("more", ["", ARRIVALS])
def test_a_store_of_the_first_version_is_brought_up_to_date(settings: Settings, more: str) -> None:
    """One without a later table was acknowledged into for ever, and nothing was scored. Some of version 1 have it."""
    make(settings, FIRST + more)
    record = RagTrace("1" * 32, "1" * 16, "shop", 10**18)
    scored = ScoredRecord(record, (), LedgerEntry("checked_only", 0.1))
    for _ in range(2):
        with SqliteStore(settings) as store:
            trace = ScoredTrace("1" * 32, RawTrace(b"spans", b""), False, (scored,), service="shop")
            store.records.commit([trace], None, 10**18)
    assert told(settings, "SELECT service, answers FROM arrivals") == [("shop", 1)]
    assert told(settings, "SELECT value FROM meta WHERE key = 'user_id_key'") == [("the same",)]
    assert told(settings, "PRAGMA user_version") == [(SCHEMA_VERSION,)]


def test_who_only_reads_says_what_brings_a_store_up_to_date(settings: Settings) -> None:
    """It must not write, and a table that it asks for may not be there."""
    make(settings, FIRST)
    with pytest.raises(
        StoreError,
        match=rf"earlier ragvigil \(schema 1 of {SCHEMA_VERSION}\); ragvigil serve brings it up to date",
    ):
        reading.open_for_reading(settings.store.path)
    SqliteStore(settings).close()
    reading.open_for_reading(settings.store.path).close()


def test_a_store_of_before_the_first_release_is_refused_as_it_is(settings: Settings) -> None:
    """It calls itself version 1 as well, and has other tables."""
    make(settings, FIRST.replace("    lost INTEGER NOT NULL,\n", "").replace("ledger_pending", "pending"))
    before = settings.store.path.read_bytes()
    with pytest.raises(
        StoreError, match=r"other tables \(no ledger_pending, traces\.lost\); name another file"
    ):
        SqliteStore(settings)
    with pytest.raises(StoreError, match="before the first release"):
        reading.open_for_reading(settings.store.path)
    assert told(settings, "PRAGMA user_version") == [(1,)]
    assert len(before) == settings.store.path.stat().st_size
