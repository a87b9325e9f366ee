"""What waits for the judge too long, or takes the room of others: it is thinned until the judge keeps up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from ragvigil.scorer.passed_time import Clock, Jumps
from ragvigil.scorer.trace import Place

_log = logging.getLogger(__name__)

_SHARE = 0.5
_STEPS = 8
"""Into which the limit is divided: how soon after one thinning the next may come."""


class BacklogStore(Protocol):
    """What is needed of the store, on its one writing thread."""

    def late(self, before: int) -> Sequence[Place]:
        """Where a record has waited for its verdict since before that moment (Unix nanoseconds)."""
        ...

    def thin(self, place: Place, share: float, now: int) -> Sequence[int]:
        """Keep that share of what waits there, drawn by the hash of the trace ids; the ids of those that expired."""
        ...


class Backlog:
    """Looks at what waits, and thins it: of each service and environment by itself. Used by the writing thread.

    By the hash and not by age: the old ones alone would be a stretch of time of which nothing is known.
    """

    def __init__(
        self,
        store: BacklogStore,
        *,
        longest_seconds: float,
        drop: Callable[[Collection[int]], None],
        ticks: Clock | None = None,
    ) -> None:
        """`drop` tells who holds the jobs of these records; `ticks` is a clock that nobody sets."""
        self._jumps = Jumps(ticks)
        self._store = store
        self._longest = round(longest_seconds * 1e9)
        self._drop = drop
        self._thinned_at: dict[Place, int] = {}

    def tick(self, now: int) -> int:
        """Look at `now` (Unix nanoseconds); how many records expired."""
        before, soonest = (self._jumps.ago(now, span) for span in (self._longest, self._longest // _STEPS))
        self._thinned_at = {place: at for place, at in self._thinned_at.items() if soonest < at <= now}
        gone = 0
        for place in self._store.late(before):
            if place not in self._thinned_at:
                self._thinned_at[place] = now
                gone += self._thin(place, _SHARE, now)
        if gone:
            _log.warning(
                "records have waited for the judge longer than judge.max_wait_seconds: %d expired, the others count "
                "for them",
                gone,
            )
        return gone

    def make_room(self, place: Place, share: float, now: int) -> None:
        """Keep that share of what waits there: it leaves others no room."""
        gone = self._thin(place, share, now)
        _log.warning(
            "%s takes the room of others that wait for the judge (judge.max_jobs): %d of its records expired, the "
            "others count for them",
            " in ".join(part for part in place if part),
            gone,
        )

    def _thin(self, place: Place, share: float, now: int) -> int:
        gone = self._store.thin(place, share, now)
        if gone:
            self._drop(gone)
        return len(gone)
