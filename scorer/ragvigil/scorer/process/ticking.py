"""The clock of the score process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager

_log = logging.getLogger(__name__)


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

    Seconds are those of a clock that nobody sets: by the wall clock none would begin for an hour once it was set back
    by one, and all that were missed would be counted, for minutes, once it was set ahead by years. Asking takes no
    time:
    it is done by the loop itself.
    """
    beating = asyncio.create_task(_beat(Ticks(tick).ask, seconds))
    try:
        yield
    finally:
        beating.cancel()


async def _beat(ask: Callable[[], None], seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            ask()
        except Exception:
            _log.exception("a tick could not be asked for; the next is")
