"""Time that passes whatever is done to the wall clock: it is set, by people or by NTP, while things wait."""

from __future__ import annotations

import time
from collections.abc import Callable

from ragvigil.scorer.moments import MINUTE, SECOND

_LEAST = MINUTE
"""Nanoseconds; smaller differences are drift, and a tick that came late."""
_STANDS = 10 * MINUTE
"""Nanoseconds after which a wall clock that jumped is believed."""

Clock = Callable[[], int]
"""Nanoseconds."""


def since_boot() -> int:
    """Nanoseconds since the machine was started, those that it slept included where the system counts them."""
    boot: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic_ns() if boot is None else time.clock_gettime_ns(boot)


def steady(now: Clock, ticks: Clock) -> Clock:
    """The wall clock's time at this moment, run on by a clock that nobody sets.

    >>> wall, monotonic = [1_000], [5]
    >>> clock = steady(lambda: wall[0], lambda: monotonic[0])
    >>> wall[0], monotonic[0] = 9_000, 7
    >>> clock()
    1002
    """
    ahead = now() - ticks()
    return lambda: ticks() + ahead


def looked_within(seconds: float, looked_at: int, now: int) -> bool:
    """Whether the last look is so new that none is due (moments in Unix nanoseconds); one in the future is not.

    A clock that is set back by an hour would end all looking for an hour.

    >>> looked_within(60, 5 * 10**9, 6 * 10**9), looked_within(60, 3_600 * 10**9, 6 * 10**9)
    (True, False)
    """
    return 0 <= now - looked_at < seconds * 1e9


def was_set_back(since: int, now: int) -> bool:
    """Whether the clock has been set back since it showed `since` (moments in Unix nanoseconds).

    One that goes back less than a second was slewed, or asked by two.

    >>> was_set_back(3_600 * 10**9, 6 * 10**9), was_set_back(6 * 10**9 + 1, 6 * 10**9)
    (True, False)
    """
    return since > now + SECOND


class Jumps:
    """Notices when the wall clock jumps ahead, and which moment was so long ago all the same.

    A jump back takes back what one ahead did. What was stamped before it looks younger than it is for a while.
    """

    def __init__(self, ticks: Clock | None) -> None:
        """`ticks` is a clock that nobody sets; None: nobody sets the wall clock either."""
        self._ticks = ticks
        self._looked: tuple[int, int] | None = None
        self._jumped = 0
        self._landed = 0

    def ago(self, now: int, span: int) -> int:
        """What the wall clock, which shows `now`, showed `span` ago (both Unix nanoseconds).

        >>> monotonic = [0]
        >>> jumps, day = Jumps(lambda: monotonic[0]), 86_400 * 10**9
        >>> jumps.ago(5 * day, 10), jumps.ago(6 * day, 10) == 5 * day - 10
        (431999999999990, True)
        >>> jumps.ago(5 * day, 10)
        431999999999990
        """
        self._look(now)
        moment = now - span
        return moment - self._jumped if moment < self._landed else moment

    def _look(self, now: int) -> None:
        if self._ticks is None:
            return
        ticks = self._ticks()
        if self._looked is not None:
            jumped = (now - self._looked[0]) - (ticks - self._looked[1])
            if jumped >= _LEAST:
                self._jumped, self._landed = jumped, now
            elif jumped <= -_LEAST:
                self._jumped, self._landed = max(0, self._jumped + jumped), self._landed + jumped
        self._looked = now, ticks


class Standing:
    """What the wall clock shows, but for a jump that has not stood for ten minutes yet: it may be taken back."""

    def __init__(self, ticks: Clock | None) -> None:
        """`ticks` is a clock that nobody sets; None: nobody sets the wall clock either."""
        self._ticks = ticks
        self._ahead: int | None = None
        self._seen: tuple[int, int] | None = None

    def shows(self, now: int) -> int:
        """The time where the wall clock shows `now` (Unix nanoseconds).

        >>> monotonic = [0]
        >>> clock, day = Standing(lambda: monotonic[0]), 86_400 * 10**9
        >>> clock.shows(5 * day) == 5 * day, clock.shows(6 * day) == 5 * day
        (True, True)
        >>> monotonic[0] = 600 * 10**9
        >>> clock.shows(6 * day + monotonic[0]) == 6 * day + monotonic[0]
        True
        """
        if self._ticks is None:
            return now
        ticks = self._ticks()
        ahead = now - ticks
        if self._seen is None or abs(ahead - self._seen[0]) >= _LEAST:
            self._seen = ahead, ticks
        if self._ahead is None or abs(ahead - self._ahead) < _LEAST or self.stands:
            self._ahead = ahead
        return ticks + self._ahead

    @property
    def stands(self) -> bool:
        """Whether the wall clock was seen to run on for ten minutes as it was last shown."""
        if self._ticks is None or self._seen is None:
            return False
        return self._ticks() - self._seen[1] >= _STANDS
