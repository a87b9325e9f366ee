"""A receiver that starts while the score process of the last one still holds the inbox, or on a full disk."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox.writer import InboxWriter
from ragvigil.scorer.lock import Lock


def test_a_receiver_waits_for_who_is_just_letting_go(tmp_path: Path) -> None:
    """After a kill of the receiver alone its score process ends by itself; the next start was refused meanwhile."""
    lock = Lock(tmp_path / "lock", what="inbox", remedy="wait")
    ending = threading.Timer(0.2, lock.close)
    ending.start()
    InboxWriter(tmp_path).close()
    ending.join()


def test_a_lock_is_held_though_the_disk_has_no_room_for_who_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The score process ended with a traceback for the note of its number."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("ragvigil.scorer.lock.os.write", full)
    with (
        Lock(tmp_path / "lock", what="store", remedy="wait"),
        pytest.raises(StoreError, match="is in use by process unknown"),
    ):
        Lock(tmp_path / "lock", what="store", remedy="wait")
    Lock(tmp_path / "lock", what="store", remedy="wait").close()
