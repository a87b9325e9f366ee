"""What docs/operating.md says of files and copies holds."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.inbox import InboxWriter
from ragvigil.scorer.store.sqlite import SqliteStore

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "operating.md").read_text()
DEPLOYMENT = ROOT / "examples" / "deployment"
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


def run(block: str, paths: dict[str, Path], tools: Path) -> None:
    """A block of shell of the page, over other folders, where systemd has nothing to do."""
    tools.mkdir()
    (tools / "systemctl").write_text("#!/bin/sh\n")
    (tools / "systemctl").chmod(0o755)
    for shown, real in paths.items():
        block = block.replace(shown, str(real))
    places = os.pathsep.join((str(tools), str(Path(sys.executable).parent), os.environ["PATH"]))
    subprocess.run(["bash", "-ec", block], env={**os.environ, "PATH": places}, check=True, timeout=60)


def test_a_store_is_restored_as_the_page_says(tmp_path: Path) -> None:
    """A copy that root puts there, the user of the unit could not open."""
    store, backup = tmp_path / "var", tmp_path / "backup"
    for folder in (store, backup):
        folder.mkdir()
        with SqliteStore(settings_in(folder)) as opened:
            opened.beat(17 if folder == backup else 99)
    if os.geteuid() == 0:
        os.chown(store / "ragvigil.db", 12345, 12345)
    owner = (store / "ragvigil.db").stat().st_uid
    (block,) = re.findall(r"```sh\n(systemctl stop ragvigil\ncd .*?)```", PAGE, re.DOTALL)
    run(block, {"/var/lib/ragvigil": store, "/backup": backup}, tmp_path / "tools")
    restored = (store / "ragvigil.db").stat()
    assert (restored.st_uid, restored.st_mode & 0o777) == (owner, 0o600)
    with closing(sqlite3.connect(store / "ragvigil.db")) as connection:
        assert connection.execute("SELECT value FROM meta WHERE key = 'alive_at'").fetchone() == ("17",)


def test_the_configuration_is_checked_with_its_secrets(tmp_path: Path) -> None:
    """The key of its channel is in a file for systemd, which no shell reads by itself."""
    shutil.copy(DEPLOYMENT / "ragvigil.toml", tmp_path)
    (tmp_path / "secrets").write_text(f"RAGVIGIL_CHANNELS__ONCALL__ROUTING_KEY={'0' * 32}\n")
    blocks = re.findall(r"^\(.*check-config.*\)$", PAGE, re.MULTILINE)
    assert len(blocks) == 2
    for number, block in enumerate(blocks):
        run(block, {"/etc/ragvigil": tmp_path}, tmp_path / f"tools{number}")


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
    sources = "".join(path.read_text() for path in (ROOT / "scorer").rglob("*.py"))
    asked = re.findall(r'RequestFiles\(inbox / "([a-z-]+)"', sources)
    assert {"orders", "labels"} < set(asked)
    assert [
        name for name in asked if f"`{name}`" not in PAGE and f"`ragvigil-inbox/{name}`" not in PAGE
    ] == []


@pytest.mark.parametrize("key", SETTINGS)
def test_every_setting_that_it_names_is_one(key: str) -> None:
    """A renamed one would send people to nothing."""
    section, name = key.split(".")
    assert hasattr(getattr(Settings(), section), name)


def test_settings_are_found() -> None:
    """Else the test above would look at nothing."""
    assert {"store.url", "inbox.max_bytes", "retention.content_days"} <= {*SETTINGS}
