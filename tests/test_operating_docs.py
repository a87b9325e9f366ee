"""What docs/operating.md says of files and copies holds."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.inbox import InboxWriter
from ragvigil.scorer.store.sqlite import SqliteStore

PAGE = (Path(__file__).parent.parent / "docs" / "operating.md").read_text()
SETTINGS = re.findall(r"`((?:store|judge|inbox|retention|receive|health)\.[a-z_]+)`", PAGE)


def settings_in(folder: Path) -> Settings:
    """A store in that folder."""
    return load(overrides={"store": {"url": f"sqlite:///{folder / 'ragvigil.db'}"}})


def test_the_command_that_copies_a_store_copies_one_that_is_being_written(tmp_path: Path) -> None:
    """A backup that cannot be opened is found out when it is too late."""
    found = re.search(r'sqlite-utils query (\S+) "(vacuum into \'[^\']+\')"', PAGE)
    assert found is not None
    copy = tmp_path / "copy"
    copy.mkdir()
    with SqliteStore(settings_in(tmp_path)) as store:
        store.beat(17)
        with closing(sqlite3.connect(tmp_path / "ragvigil.db")) as other:
            other.execute(found[2].replace("/backup", str(copy)))
    with closing(sqlite3.connect(copy / "ragvigil.db")) as connection:
        assert connection.execute("SELECT value FROM meta WHERE key = 'alive_at'").fetchone() == ("17",)
    SqliteStore(settings_in(copy)).close()


def test_every_file_that_a_scorer_writes_is_named(tmp_path: Path) -> None:
    """Whoever backs up or removes goes by the list."""
    settings = settings_in(tmp_path)
    with closing(InboxWriter(settings.inbox_path)), SqliteStore(settings) as store:
        store.recognise(settings.inbox_path)
        written = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert {"ragvigil.db", "ragvigil.db-wal", "store", "lock"} <= written
    assert any(name.endswith(".db") and name[:-3].isdecimal() for name in written)
    for name in written:
        known = re.sub(r"^\d+\.db", "NNNN.db", name).removesuffix("-wal").removesuffix("-shm")
        assert known in PAGE, name
    assert settings.shared_path.name in PAGE


@pytest.mark.parametrize("key", SETTINGS)
def test_every_setting_that_it_names_is_one(key: str) -> None:
    """A renamed one would send people to nothing."""
    section, name = key.split(".")
    assert hasattr(getattr(Settings(), section), name)


def test_settings_are_found() -> None:
    """Else the test above would look at nothing."""
    assert {"store.url", "inbox.max_bytes", "retention.content_days"} <= {*SETTINGS}
