"""A recording into a store: the lock, the pace, and the pages when they are wanted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from ragvigil.scorer.config import Settings
from ragvigil.scorer.incidents.deliver import Courier
from ragvigil.scorer.lock import Lock
from ragvigil.scorer.process.parts import channels
from ragvigil.scorer.replay.recording import Recording
from ragvigil.scorer.replay.run import Replay, Replayed
from ragvigil.scorer.store._sqlite_outbox import OutboxHere, SqliteOutbox
from ragvigil.scorer.store.sqlite import SqliteStore


def replay_into(
    recording: Recording,
    settings: Settings,
    *,
    speed: float | None,
    page: bool,
    seen: Callable[[int], None] | None = None,
) -> Replayed:
    """Replay into `settings.store`, `speed` times as fast as it happened (None: as fast as it goes).

    With `page`, what is to be said goes to the configured channels once, at the end; `seen` is told each moment
    of the recording (Unix nanoseconds) that has come. Raises StoreError.
    """
    path = settings.store.path
    lock = path.with_name(f"{path.name}.lock")
    with (
        Lock(lock, what=f"store {path}", remedy="name another with --store"),
        SqliteStore(settings, durable=False) as store,
    ):
        names = list(settings.channels) if page else []
        done = Replay(recording, store, settings, channels=names, pace=_both(pace_of(speed), seen)).run()
        if page:
            asyncio.run(_deliver(store.outbox, settings))
        store.checkpoint()
        return done


def pace_of(speed: float | None) -> Callable[[int], None] | None:
    """What waits until a moment of the recording has come, when time runs `speed` times as fast."""
    if speed is None:
        return None
    began = time.monotonic()
    first: list[int] = []

    def wait(moment: int) -> None:
        first[:] = first or [moment]
        time.sleep(max(0.0, began + (moment - first[0]) / 1e9 / speed - time.monotonic()))

    return wait


def _both(
    pace: Callable[[int], None] | None, seen: Callable[[int], None] | None
) -> Callable[[int], None] | None:
    if pace is None or seen is None:
        return pace or seen

    def wait_and_tell(moment: int) -> None:
        pace(moment)
        seen(moment)

    return wait_and_tell


async def _deliver(outbox: SqliteOutbox, settings: Settings) -> None:
    courier = Courier(OutboxHere(outbox), channels(settings.channels))
    tried = -1
    while sum(courier.counts.values()) > tried:
        tried = sum(courier.counts.values())
        await courier.deliver_due(time.time_ns())
