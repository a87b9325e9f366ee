"""The clock of the score process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from apscheduler.executors.debug import DebugExecutor  # pyright: ignore[reportMissingTypeStubs]  # has none
from apscheduler.schedulers.asyncio import AsyncIOScheduler  # pyright: ignore[reportMissingTypeStubs]  # has none
from apscheduler.triggers.base import BaseTrigger  # pyright: ignore[reportMissingTypeStubs]  # has none


class Ticks:
    """Asks for a tick when none waits: those of a scorer that is slower than its clock must not pile up.

    >>> asked: list[Future[None]] = []
    >>> ticks = Ticks(lambda: asked.append(Future()) or asked[-1])
    >>> ticks.ask(), ticks.ask(), len(asked)
    (None, None, 1)
    >>> asked[0].set_result(None)
    >>> ticks.ask(), len(asked)
    (None, 2)
    """

    def __init__(self, tick: Callable[[], Future[None]]) -> None:
        self._tick = tick
        self._asked: Future[None] | None = None

    def ask(self) -> None:
        """Called at every beat of the clock."""
        if self._asked is None or self._asked.done():
            self._asked = self._tick()


class _Steadily(BaseTrigger):  # type: ignore[misc]  # has no stubs
    """The next time so long after now: what a clock that is set ahead leaves out is not made up for, nor counted."""

    def __init__(self, interval: timedelta) -> None:
        self._interval = interval

    def get_next_fire_time(  # pyright: ignore[reportIncompatibleMethodOverride]  # the base says None
        self, previous_fire_time: datetime | None, now: datetime
    ) -> datetime:
        """As APScheduler asks for it."""
        del previous_fire_time
        return now + self._interval


@contextmanager
def ticking(tick: Callable[[], Future[None]], seconds: float) -> Generator[None]:
    """Have `tick` begin every so many seconds on the running event loop, never while one waits or runs.

    Asking takes no time, so it is done by the loop itself: a thread that is about to ask when the clock stops would be
    cancelled, with a traceback in the log.
    """
    interval = timedelta(seconds=seconds)
    scheduler = AsyncIOScheduler(executors={"default": DebugExecutor()}, timezone=UTC)
    job: Any = scheduler.add_job(  # pyright: ignore[reportUnknownMemberType]  # no stubs
        Ticks(tick).ask, _Steadily(interval), coalesce=True, max_instances=1, misfire_grace_time=None
    )
    scheduler.start()
    minding = asyncio.create_task(_mind_the_clock(job, interval))
    try:
        yield
    finally:
        minding.cancel()
        scheduler.shutdown(wait=False)


async def _mind_the_clock(job: Any, interval: timedelta) -> None:
    """A clock that is set back would leave the next tick as far ahead as that."""
    while True:
        await asyncio.sleep(interval.total_seconds())
        if job.next_run_time - datetime.now(UTC) > 2 * interval:
            job.modify(next_run_time=datetime.now(UTC))
