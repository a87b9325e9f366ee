"""A store that is restored or moved: with its inbox, or without."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import Serve, eventually
from tests.scorer.test_deleted_store import stored, takes

from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.inbox import Arrival, InboxWriter, Position
from ragvigil.scorer.inbox.ownership import owner
from ragvigil.scorer.store.sqlite import SqliteStore

READ_TO = Position(1, 2)


def settings_in(folder: Path) -> Settings:
    """A store in that folder."""
    return load(overrides={"store": {"url": f"sqlite:///{folder / 'ragvigil.db'}"}})


def filled(folder: Path, rows: int = 5) -> None:
    """An inbox of one segment with so many rows."""
    with closing(InboxWriter(folder)) as writer:
        writer.append([Arrival("spans", bytes(16), b"x", 1)] * rows).result(10)


def read_to(store: SqliteStore, place: Position) -> None:
    """Note that the store has read the inbox so far."""
    store.records.commit([], place, 1)


def test_a_store_that_is_restored_without_its_inbox_reads_the_new_one_from_its_start(
    serve: Serve, tmp_path: Path
) -> None:
    """The new inbox counts its rows from 1 again: as many as the old one had were acknowledged and passed over."""
    scorer = serve()
    assert all(takes(scorer, number) for number in (1, 2, 3))
    eventually(lambda: len(stored(scorer)) == 3)
    with (
        closing(sqlite3.connect(scorer.store)) as live,
        closing(sqlite3.connect(tmp_path / "backup")) as copy,
    ):
        live.backup(copy)
    scorer.kill()
    shutil.rmtree(tmp_path / "ragvigil-inbox")
    for path in tmp_path.glob("ragvigil.db*"):
        path.unlink()
    (tmp_path / "backup").rename(tmp_path / "ragvigil.db")
    again = serve()
    assert takes(again, 4)
    eventually(lambda: len(stored(again)) == 4)
    assert again.ledger().balanced


def test_an_inbox_that_had_more_rows_than_the_store_had_read_is_not_taken_for_its_own(tmp_path: Path) -> None:
    """Before the scorer looks, its receiver may have taken any number of rows."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        filled(tmp_path / "old")
        store.recognise(tmp_path / "old")
        read_to(store, READ_TO)
        filled(settings.inbox_path)
        store.recognise(settings.inbox_path)
        assert store.records.watermark() is None
        assert owner(settings.inbox_path) is not None


def test_a_store_goes_on_in_its_own_inbox_where_it_stopped(tmp_path: Path) -> None:
    """What was counted would be counted again."""
    settings = settings_in(tmp_path)
    filled(settings.inbox_path)
    with SqliteStore(settings) as store:
        store.recognise(settings.inbox_path)
        read_to(store, READ_TO)
        store.recognise(settings.inbox_path)
        assert store.records.watermark() == READ_TO


@pytest.mark.parametrize(
    ("place", "kept"), [(READ_TO, READ_TO), (Position(2, 9), None), (Position(7, 1), None)]
)
def test_a_store_of_an_earlier_version_keeps_a_position_that_its_inbox_has(
    tmp_path: Path, place: Position, kept: Position | None
) -> None:
    """It has no token: an upgrade reads nothing twice, and a new inbox is found out by its end."""
    settings = settings_in(tmp_path)
    filled(settings.inbox_path)
    with SqliteStore(settings) as store:
        read_to(store, place)
        store.recognise(settings.inbox_path)
        assert store.records.watermark() == kept


def test_an_older_copy_of_the_inbox_is_read_from_its_start(tmp_path: Path) -> None:
    """Store and inbox that were copied at different moments."""
    settings = settings_in(tmp_path)
    filled(settings.inbox_path)
    with SqliteStore(settings) as store:
        store.recognise(settings.inbox_path)
        read_to(store, Position(2, 9))
        store.recognise(settings.inbox_path)
        assert store.records.watermark() is None
