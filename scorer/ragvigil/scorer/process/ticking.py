"""The clock of the score process."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager

from apscheduler.executors.debug import DebugExecutor  # pyright: ignore[reportMissingTypeStubs]  # has none
from apscheduler.schedulers.asyncio import AsyncIOScheduler  # pyright: ignore[reportMissingTypeStubs]  # has none


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


@contextmanager
def ticking(tick: Callable[[], Future[None]], seconds: float) -> Generator[None]:
    """Have `tick` begin every so many seconds on the running event loop, never while one waits or runs.

    Asking takes no time, so it is done by the loop itself: a thread that is about to ask when the clock stops would be
    cancelled, with a traceback in the log.
    """
    scheduler = AsyncIOScheduler(executors={"default": DebugExecutor()})
    scheduler.add_job(  # pyright: ignore[reportUnknownMemberType]  # no stubs
        Ticks(tick).ask, "interval", seconds=seconds, coalesce=True, max_instances=1
    )
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown(wait=False)
