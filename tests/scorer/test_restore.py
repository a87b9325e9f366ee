"""A store that is restored or moved: with its inbox, or without."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import time
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from tests.conftest import Serve, eventually
from tests.scorer.test_deleted_store import stored, takes

from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxWriter, Position
from ragvigil.scorer.inbox.ownership import mark, token_of
from ragvigil.scorer.inbox.segments import last_number
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
        assert token_of(settings.inbox_path) is not None


def test_a_store_goes_on_in_its_own_inbox_where_it_stopped(tmp_path: Path) -> None:
    """What was counted would be counted again."""
    settings = settings_in(tmp_path)
    filled(settings.inbox_path)
    with SqliteStore(settings) as store:
        store.recognise(settings.inbox_path)
        read_to(store, READ_TO)
        store.recognise(settings.inbox_path)
        assert store.records.watermark() == READ_TO


@pytest.mark.parametrize(("later", "row", "kept"), [(-1, 2, True), (0, 9, False), (7, 1, False)])
def test_a_store_of_an_earlier_version_keeps_a_position_that_its_inbox_has(
    tmp_path: Path, later: int, row: int, kept: bool
) -> None:
    """It has no token: an upgrade reads nothing twice, and an inbox that ends before is found out."""
    settings = settings_in(tmp_path)
    filled(settings.inbox_path)
    place = Position(last_number(settings.inbox_path) + later, row)
    with SqliteStore(settings) as store:
        read_to(store, place)
        store.recognise(settings.inbox_path)
        assert store.records.watermark() == (place if kept else None)


def test_an_older_copy_of_the_inbox_is_read_from_its_start(tmp_path: Path) -> None:
    """Store and inbox that were copied at different moments, and a clock that was set back."""
    settings = settings_in(tmp_path)
    filled(settings.inbox_path)
    with SqliteStore(settings) as store:
        store.recognise(settings.inbox_path)
        read_to(store, Position(last_number(settings.inbox_path) + 1, 9))
        store.recognise(settings.inbox_path)
        assert store.records.watermark() is None


@pytest.mark.parametrize("gone", ["the folder", "all segments", "the newest segment"])
@pytest.mark.parametrize("known", [True, False], ids=["known", "of an earlier version"])
def test_nothing_is_passed_over_in_an_inbox_of_which_segments_were_deleted(
    tmp_path: Path, gone: str, known: bool
) -> None:
    """The receiver is quicker than the score process: more rows than were read of the old inbox are there."""
    settings = settings_in(tmp_path)
    inbox = settings.inbox_path
    with SqliteStore(settings) as store:
        for _ in range(2):
            filled(inbox)
            for path in inbox.glob(f"{last_number(inbox)}.db*"):  # the empty one of a clean end
                path.unlink()
        if known:
            store.recognise(inbox)
        read_to(store, Position(last_number(inbox), 5))
        if gone == "the folder":
            shutil.rmtree(inbox)
        else:
            for path in inbox.glob("*.db*" if gone == "all segments" else f"{last_number(inbox)}.db*"):
                path.unlink()
        before = last_number(inbox)
        filled(inbox, 40)
        store.recognise(inbox)
        with closing(InboxReader(inbox)) as reader:
            found = reader.read(store.records.watermark())
        assert sum(row.position.segment > before for row in found) == 40


def test_nothing_is_passed_over_where_segments_were_deleted_and_the_clock_was_set_back_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest segment is above the store's position again, and rows in those below it were passed over."""
    inbox = tmp_path / "inbox"

    def at(seconds: int) -> None:
        with monkeypatch.context() as patched:
            patched.setattr("time.time_ns", lambda: seconds * 10**9)
            filled(inbox)

    at(2000)
    with SqliteStore(settings_in(tmp_path)) as store:
        store.recognise(inbox)
        with closing(InboxReader(inbox)) as reader:
            read_to(store, reader.read()[-1].position)
            for path in inbox.glob("*.db*"):
                path.unlink()
            at(1000)
            at(3000)
            store.recognise(inbox)
            assert len(reader.read(store.records.watermark())) == 10


def test_a_token_outlives_a_loss_of_power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On disk first what it says, under another name; then that it has its own."""
    synced: list[tuple[bool, bool]] = []

    def watched(descriptor: int) -> None:
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        assert not folder or os.path.samestat(os.fstat(descriptor), tmp_path.stat())
        synced.append((folder, token_of(tmp_path) == "abc"))

    monkeypatch.setattr(os, "fsync", watched)
    mark(tmp_path, "abc")
    assert synced == [(False, False), (True, True)]


def test_a_reader_finds_what_comes_after_the_segments_were_deleted_under_a_receiver(
    serve: Serve, tmp_path: Path
) -> None:
    """It read on in the file that was gone: of forty that were acknowledged one was stored."""
    scorer = serve()
    assert all(takes(scorer, number) for number in (1, 2, 3))
    eventually(lambda: len(stored(scorer)) == 3)
    for path in (tmp_path / "ragvigil-inbox").glob("*.db*"):
        path.unlink()
    for number in range(4, 10):
        eventually(partial(takes, scorer, number))
    eventually(lambda: len(stored(scorer)) == 9)
    assert scorer.ledger().balanced


@pytest.mark.parametrize("written", [True, False], ids=["after the token", "before the token"])
def test_a_death_while_an_inbox_gets_its_token_forgets_no_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    """What had been read was read again, and counted twice."""

    def die(folder: Path, token: str) -> None:
        if written:
            mark(folder, token)
        raise KeyboardInterrupt

    settings = settings_in(tmp_path)
    filled(settings.inbox_path)
    place = Position(last_number(settings.inbox_path) - 1, 2)
    with SqliteStore(settings) as store:
        read_to(store, place)
        with monkeypatch.context() as patched:
            patched.setattr("ragvigil.scorer.store._sqlite_own_inbox.mark", die)
            with pytest.raises(KeyboardInterrupt):
                store.recognise(settings.inbox_path)
    with SqliteStore(settings) as store:
        store.recognise(settings.inbox_path)
        assert store.records.watermark() == place
        assert token_of(settings.inbox_path) is not None


def test_two_stores_that_read_one_inbox_in_turn_each_go_on_where_they_stopped(tmp_path: Path) -> None:
    """The token is that of the inbox: a look by another store takes no position away."""
    inbox = tmp_path / "inbox"
    filled(inbox)
    place = Position(last_number(inbox) - 1, 2)
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        with SqliteStore(settings_in(folder)) as store:
            store.recognise(inbox)
            read_to(store, place)
    with SqliteStore(settings_in(tmp_path / "a")) as store:
        store.recognise(inbox)
        assert store.records.watermark() == place


@pytest.mark.parametrize("marked", [True, False], ids=["marked", "marked just before a death"])
def test_a_store_that_comes_back_from_another_inbox_takes_no_position_of_that_for_one_in_its_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marked: bool
) -> None:
    """It passed over five of six rows that were acknowledged, and deleted them."""

    def die(folder: Path, token: str) -> None:
        mark(folder, token)
        raise KeyboardInterrupt

    first, second = tmp_path / "first", tmp_path / "second"
    (tmp_path / "other").mkdir()
    with SqliteStore(settings_in(tmp_path)) as store, SqliteStore(settings_in(tmp_path / "other")) as other:
        filled(first)
        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            if not marked:
                patched.setattr("ragvigil.scorer.store._sqlite_own_inbox.mark", die)
            store.recognise(first)
        time.sleep(0.002)  # segments are numbered by milliseconds
        filled(second)
        other.recognise(second)
        store.recognise(second)
        read_to(store, Position(last_number(second), 5))
        time.sleep(0.002)
        filled(first, 1)
        store.recognise(first)
        assert store.records.watermark() is None


def test_an_inbox_that_cannot_be_marked_is_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk for a moment: the next start marks it."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    settings = settings_in(tmp_path)
    filled(settings.inbox_path)
    place = Position(last_number(settings.inbox_path) - 1, 2)
    with SqliteStore(settings) as store:
        with monkeypatch.context() as patched:
            patched.setattr("ragvigil.scorer.store._sqlite_own_inbox.mark", full)
            store.recognise(settings.inbox_path)
        read_to(store, place)
        assert "cannot be marked" in caplog.text
        store.recognise(settings.inbox_path)
        assert store.records.watermark() == place
        assert token_of(settings.inbox_path) is not None
