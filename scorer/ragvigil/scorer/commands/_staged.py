"""What ``ragvigil status`` shows of the inbox: how much stands there as received, and for how long."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import InboxReader
from ragvigil.scorer.inbox.segments import bytes_on_disk

LONGEST_SECONDS = 900.0
"""As long as content may stay as received, while the score process lives."""


@dataclass(frozen=True, slots=True)
class Staged:
    """The inbox, as it is on disk."""

    bytes: int
    oldest_seconds: float | None
    """Age of the oldest content that is not redacted; None where there is none, or nobody can read it."""
    too_old: bool
    """Whether that is more than 15 minutes."""
    damaged: int
    """Segments that were set aside, with content as received."""


def staged(folder: Path) -> Staged:
    """Look at the inbox."""
    with closing(InboxReader(folder)) as reader:
        try:
            oldest = reader.oldest_received_at()
        except StoreError:
            oldest = None
        age = None if oldest is None else max(0.0, (time.time_ns() - oldest) / 1e9)
        return Staged(bytes_on_disk(folder), age, age is not None and age > LONGEST_SECONDS, reader.damaged)


def as_text(inbox: Staged) -> str:
    """One line, and a warning where content stays too long."""
    text = f"inbox: {inbox.bytes / 1e6:,.1f} MB"
    if inbox.oldest_seconds is not None:
        text += f", the oldest content as received {inbox.oldest_seconds:,.0f} s ago"
    if inbox.too_old:
        text += f"\n  WARNING: content that is not redacted stays for more than {LONGEST_SECONDS / 60:.0f} minutes: "
        text += "the score process is down or far behind"
    if inbox.damaged:
        text += f"\n  WARNING: {inbox.damaged:,} damaged segments were set aside, with content as received"
    return text
