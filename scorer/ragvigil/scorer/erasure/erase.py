"""An erasure as an operator asks for it: by the scorer that runs, or on the store when none does; then the inbox."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.message import DecodeError

from ragvigil.scorer.asking import By, have_done
from ragvigil.scorer.config import Settings
from ragvigil.scorer.erasure.erase_unsent import erase_unsent
from ragvigil.scorer.erasure.forget_requests import forget_requests
from ragvigil.scorer.erasure.forgetting import Desk, Forgotten, Wanted
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import InboxReader, InboxWriter, Position
from ragvigil.scorer.inbox.blanking import blank
from ragvigil.scorer.inbox.segments import connect, damaged, last_number, request_roll, segments, sql
from ragvigil.scorer.judge.paid import Paid
from ragvigil.scorer.lock import Lock
from ragvigil.scorer.metrics import file as snapshot
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.store.sqlite import SqliteStore

_PAUSE_SECONDS = 0.05
_RECEIVER_SECONDS = 10.0
"""What a receiver has to answer at least, however long the rest took: it looks twice a second."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What became of a request."""

    forgotten: Forgotten
    by: By
    """``scorer``: the one that runs carried it out; ``command``: none ran."""
    segments_left: int
    """Segments of the inbox that still hold what arrived before the request, as received."""
    metrics_left: bool
    """Whether the snapshot for /metrics may still name one of the traces as an example."""
    unsent: Mapping[str, int]
    """Requests that waited for each backend of `forward` and lost something, or all."""
    sent: Mapping[str, int]
    """Requests that were on their way to each backend of `forward` when it was their turn: what went is there."""
    unsent_left: bool
    """Whether a receiver that runs has not said yet what waited."""
    damaged: tuple[str, ...]
    """Segments that were set aside: nobody can tell whose content they hold."""

    @property
    def complete(self) -> bool:
        """Whether nothing is left anywhere in ragvigil's files."""
        return self.forgotten.log_cleared and not (
            self.segments_left or self.metrics_left or self.unsent_left or self.damaged
        )


def erase(settings: Settings, wanted: Wanted, *, seconds: float) -> Erased:
    """Have it forgotten. Raises StoreError when that has not been done within `seconds`; the request then stays."""
    deadline, asked_at = time.monotonic() + seconds, time.time()
    requests = forget_requests(settings.inbox_path)
    left = 0

    def here(store: SqliteStore) -> None:
        nonlocal left
        with _remembering(settings) as forget:
            desk = Desk(requests, store.erasures, drop=forget)
            while desk.step():
                pass
        left = _clean_inbox(settings, store, wanted)

    forgotten, by = have_done(settings, requests, wanted, here=here, seconds=seconds)
    if by == "scorer":
        left = _leave_inbox(settings, deadline)
    aside = tuple(sorted(str(path) for path in damaged(settings.inbox_path)))
    shown = _leave_metrics(settings, by, deadline)
    unsent = erase_unsent(settings, wanted, asked_at, max(deadline, time.monotonic() + _RECEIVER_SECONDS))
    return Erased(forgotten, by, left, shown, unsent.cut, unsent.late, unsent.unanswered, aside)


@contextmanager
def _remembering(settings: Settings) -> Generator[Callable[[Collection[str]], None]]:
    """What lets go of what the judge said of traces, where anything of that is kept."""
    if not settings.shared_path.is_file():
        yield lambda _: None
        return
    with closing(Paid(settings.shared_path, f"forget {os.getpid()}")) as paid:
        yield paid.forget


def _leave_inbox(settings: Settings, deadline: float) -> int:
    """Wait until the scorer has let go of what arrived so far; segments left when the time is over."""
    last = last_number(settings.inbox_path)
    _roll(settings)
    while (left := _holding(settings.inbox_path, last)) and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
    return left


def _leave_metrics(settings: Settings, by: By, deadline: float) -> bool:
    """Wait until the snapshot for /metrics was made after the erasure; whether it is an older one when time is over."""
    folder, erased_at = settings.inbox_path, time.time_ns()
    if by == "command":
        snapshot.remove(folder)
    while (found := snapshot.read(folder)) is not None and found.at < erased_at and found.names_traces:
        if time.monotonic() >= deadline:
            return True
        time.sleep(_PAUSE_SECONDS)
    return False


def _clean_inbox(settings: Settings, store: SqliteStore, wanted: Wanted) -> int:
    """Delete what is done and cut the rest out of what is not, unless a receiver runs; segments left as they are."""
    folder = settings.inbox_path
    last = last_number(folder)
    if not _roll(settings):
        return _holding(folder, last)
    with (
        Lock(folder / "lock", what=f"inbox {folder}", remedy="try again"),
        closing(InboxReader(folder)) as reader,
        closing(Redaction(settings.content, store.pseudonyms)) as redaction,
    ):
        store.recognise(folder)
        watermark = store.records.watermark()
        if watermark is not None:
            reader.discard(Position(watermark.segment, watermark.row + 1))

        def chosen(trace_id: str, spans: bytes, logs: bytes) -> bool:
            if store.erasures.kept_out([trace_id]):
                return True
            try:
                return store.erasures.names(wanted, redaction.spans(spans), redaction.logs(logs))
            except DecodeError:  # cannot be read, and so is never stored
                return True

        store.erasures.bar(blank(folder, chosen))
    return 0


def _roll(settings: Settings) -> bool:
    """Have a new segment begun, so that the ones before it can go; whether no receiver runs."""
    folder = settings.inbox_path
    try:
        with closing(InboxWriter(folder, max_bytes=settings.inbox.max_bytes)):
            return True
    except StoreError:
        request_roll(folder)
        return False


def _holding(folder: Path, last: int) -> int:
    """How many of the segments up to `last` hold content."""
    return sum(_holds_content(path) for number, path in segments(folder) if number <= last)


def _holds_content(path: Path) -> bool:
    try:
        with closing(connect(path, "ro")) as connection:
            return bool(connection.execute(sql("last")).fetchone()[0])
    except sqlite3.Error:
        return path.exists()
