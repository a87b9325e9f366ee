"""Says to somebody outside that the scorer lives, for as long as it really evaluates."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from ragvigil.exporters import Heartbeat, Outcome
from ragvigil.scorer.config import Settings

_log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 5.0
_PATIENCE_TICKS = 3


class Beating(Protocol):
    """The address that expects it."""

    async def beat(self) -> Outcome:
        """Say once that we live; failure is an answer, not an exception."""
        ...


async def keep_beating(
    heartbeat: Beating, *, every_seconds: float, alive: Callable[[], bool], stop: asyncio.Event
) -> None:
    """Beat every so often until `stop`, and not while `alive` says no: then silence is the message.

    A beat that fails is logged when the last one did not; the next one is the next try.
    """
    failing, silent = False, True  # the first evaluation is still to come
    while not stop.is_set():
        if alive():
            outcome = await heartbeat.beat()
            if not outcome.delivered and not failing:
                _log.warning("the heartbeat is not heard: %s", outcome.reason)
            failing, silent = not outcome.delivered, False
        elif not silent:
            silent = True
            _log.error("no evaluation has succeeded for a while: the heartbeat stops")
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), every_seconds)


async def beat(settings: Settings, succeeded_at: Callable[[], float], stop: asyncio.Event) -> None:
    """Beat as the settings say until `stop`; `succeeded_at` is the last good evaluation on the monotonic clock."""
    url = settings.health.heartbeat_url
    if url is None:
        return
    patience = max(_PATIENCE_SECONDS, _PATIENCE_TICKS * settings.monitor.tick_seconds)
    await keep_beating(
        Heartbeat(url.get_secret_value()),
        every_seconds=settings.health.heartbeat_seconds,
        alive=lambda: time.monotonic() - succeeded_at() < patience,
        stop=stop,
    )
