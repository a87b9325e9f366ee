"""What has waited for the judge too long: it is thinned until the judge keeps up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from ragvigil.scorer.passed_time import Clock, Jumps

_log = logging.getLogger(__name__)

_SHARE = 0.5
_STEPS = 8
"""Into which the limit is divided: how soon after one thinning the next may come."""


class BacklogStore(Protocol):
    """What is needed of the store, on its one writing thread."""

    def waits_since(self) -> int | None:
        """Since when the oldest record waits for its verdict, Unix nanoseconds; None when none does."""
        ...

    def thin(self, share: float, now: int) -> Sequence[int]:
        """Keep that share of what waits, drawn by the hash of the trace ids; the ids of those that expired."""
        ...


class Backlog:
    """Looks at what waits, and thins it. Used by the writing thread.

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
        self._thinned_at: int | None = None

    def tick(self, now: int) -> int:
        """Look at `now` (Unix nanoseconds); how many records expired."""
        before, soonest = (self._jumps.ago(now, span) for span in (self._longest, self._longest // _STEPS))
        since = self._store.waits_since()
        if since is None or since >= before:
            return 0
        if self._thinned_at is not None and soonest < self._thinned_at <= now:
            return 0
        self._thinned_at = now
        gone = self._store.thin(_SHARE, now)
        if gone:
            self._drop(gone)
            _log.warning(
                "records have waited for the judge longer than judge.max_wait_seconds: %d expired, the others count "
                "for them",
                len(gone),
            )
        return len(gone)
