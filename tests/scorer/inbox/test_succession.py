"""A receiver that starts while the score process of the last one still holds the inbox."""

from __future__ import annotations

import threading
from pathlib import Path

from ragvigil.scorer.inbox.writer import InboxWriter
from ragvigil.scorer.lock import Lock


def test_a_receiver_waits_for_who_is_just_letting_go(tmp_path: Path) -> None:
    """After a kill of the receiver alone its score process ends by itself; the next start was refused meanwhile."""
    lock = Lock(tmp_path / "lock", what="inbox", remedy="wait")
    ending = threading.Timer(0.2, lock.close)
    ending.start()
    InboxWriter(tmp_path).close()
    ending.join()
