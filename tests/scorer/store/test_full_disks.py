"""What a disk does that takes no new file is told as what it is, and what passes is tried again."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ragvigil.scorer.config import load
from ragvigil.scorer.errors import StoreError, StoreNotNowError
from ragvigil.scorer.inbox import InboxWriter
from ragvigil.scorer.lock import Lock
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore


def mount(*options: str) -> None:
    """Or skip the test."""
    mounted = subprocess.run(["mount", *options], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip(f"this user may not mount: {mounted.stderr.decode().strip()}")


def fill(disk: Path) -> None:
    """Until no further file can be made."""
    with suppress(OSError):
        for number in range(100):
            (disk / str(number)).touch()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """A store that nobody has open, on a small disk of few files."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=4m,nr_inodes=12", "tmpfs", str(disk))
    with SqliteStore(load(overrides={"store": {"url": f"sqlite:///{disk / 'ragvigil.db'}"}})):
        pass
    yield disk / "ragvigil.db"
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_disk_that_has_no_room_for_another_file_is_one_that_passes(store: Path) -> None:
    """SQLite says only that it cannot open what it cannot make: the receiver ended for good."""
    fill(store.parent)
    with pytest.raises(StoreNotNowError, match=r"unable to open database file .no space left on device"):
        SqliteStore(load(overrides={"store": {"url": f"sqlite:///{store}"}}))
    with pytest.raises(StoreNotNowError, match="No space left on device; wait"):
        Lock(store.with_name("another.lock"), what="inbox", remedy="wait")


def test_a_reader_is_told_of_a_disk_without_room_for_another_file(store: Path) -> None:
    """It was told to come as another user, as root."""
    fill(store.parent)
    with pytest.raises(StoreError, match=r"its disk is full or fails .no space left on device.*make room"):
        open_for_reading(store)


def test_a_reader_is_told_of_a_disk_without_room_for_another_byte(store: Path) -> None:
    """It was told that this is no store."""
    with suppress(OSError), (store.parent / "ballast").open("wb", buffering=0) as ballast:
        while True:
            ballast.write(bytes(4096))
    with pytest.raises(StoreError, match=r"its disk is full or fails .disk I/O error.*make room"):
        open_for_reading(store)


def test_a_receiver_is_told_of_a_disk_without_room(store: Path) -> None:
    """It said `disk I/O error`, and nothing to do about it."""
    with suppress(OSError), (store.parent / "ballast").open("wb", buffering=0) as ballast:
        while True:
            ballast.write(bytes(4096))
    with pytest.raises(
        StoreError, match=r"inbox .* cannot be written: .*; its disk is full or fails: make room"
    ):
        InboxWriter(store.parent, max_bytes=2**20)


def test_a_reader_is_told_of_a_read_only_disk(store: Path) -> None:
    """As a volume of backups is mounted."""
    mount("-o", "remount,ro", str(store.parent))
    with pytest.raises(StoreError, match=r"its disk is read-only.*read a copy"):
        open_for_reading(store)
