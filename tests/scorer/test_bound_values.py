"""What SQLite is given without being asked about it first."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ragvigil.scorer.bound_values import bind_as_they_are
from ragvigil.scorer.config import load
from ragvigil.scorer.store.sqlite import SqliteStore


def test_what_sqlite_takes_as_it_is_comes_back_as_it_was() -> None:
    """A trace's row is made of texts, numbers, None, bytes and truth values: none may be changed on its way."""
    bind_as_they_are()
    values = (None, b"", b"\x00\xff", True, False, 1, 0.5, "snow")
    with closing(sqlite3.connect(":memory:")) as connection:
        found = connection.execute("SELECT ?, ?, ?, ?, ?, ?, ?, ?", values).fetchone()
    assert found == values


@pytest.mark.parametrize("kind", [type(None), bytes, bool])
def test_a_store_asks_no_such_value_how_it_is_to_be_adapted(kind: type, tmp_path: Path) -> None:
    """Asking costs two exceptions a value, fifty times a trace."""
    sqlite3.adapters.pop((kind, sqlite3.PrepareProtocol), None)
    with SqliteStore(load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}})):
        assert (kind, sqlite3.PrepareProtocol) in sqlite3.adapters
