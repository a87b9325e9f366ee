"""Writes a snapshot every few seconds, beside scoring and never in its way."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.metrics.measures import Measures

_log = logging.getLogger(__name__)

_LOG_SECONDS = 60.0


async def keep_publishing(
    collect: Callable[[], Measures],
    tell: Callable[[Measures], Awaitable[None]],
    *,
    every_seconds: float,
    stop: asyncio.Event,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Collect on a thread of its own and hand it on, every so often until `stop`; a failure is a log line a minute."""
    silent_until = -float("inf")
    while not stop.is_set():
        try:
            await tell(await asyncio.to_thread(collect))
        except Exception as error:
            if clock() >= silent_until:
                silent_until = clock() + _LOG_SECONDS
                known = isinstance(error, (OSError, StoreError, sqlite3.Error))
                _log.warning("metrics cannot be told (%s); trying again", error, exc_info=not known)
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), every_seconds)
