"""Content goes by age and by a ceiling on disk, oldest first, and scores after it, in steps between two turns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from ragvigil.scorer import config
from ragvigil.scorer.moments import DAY, HOUR, MINUTE
from ragvigil.scorer.passed_time import Clock, Jumps

_log = logging.getLogger(__name__)

_SETTLING = 10 * MINUTE
"""Nanoseconds in which NTP has set the clock of a machine that was just started."""
_TRACES_A_STEP = 50
_RECORDS_A_STEP = 200
_MESSAGES_A_STEP = 200
_LEAST_MESSAGE_DAYS = 2.0
"""An incident may open again, or be corrected, for a day after its end; its messages are edited then."""
_PAGES_A_STEP = 500
_RECORDS_A_CONTENT = 8
"""Over the ceiling scores go first where content of fewer than one record in so many is left: of a store full of scores
what has just come would lose its content before the judge has seen it."""
_LEAST_SHARE = 2
"""Part of the ceiling that content and records keep whatever rollups take, or these would drive out all of them."""
MINUTES_DAYS = 90.0
"""How long rollups stay minutes at least: what compares them by the minute looks back for a week."""
_LATE_DAYS = 7.0
"""Records that have been judged late go later than others of their minute."""
_SPARE_PAGES = 2_000
"""Empty pages that stay for what comes next (8 MB): cutting off and growing again costs both times."""


class RetentionStore(Protocol):
    """What retention needs of a store. Only the writing thread calls it."""

    def used_bytes(self) -> int:
        """Bytes that hold something."""
        ...

    def rollup_bytes(self) -> int:
        """About how many bytes of it rollups take, which never go."""
        ...

    def free_pages(self) -> int:
        """Pages that hold nothing."""
        ...

    def held(self) -> tuple[int, int]:
        """About how many traces have their content, and how many records there are."""
        ...

    def expire(self, before: int | None, limit: int, *, counter: str) -> Sequence[str]:
        """Take the content out of the oldest traces stored before that moment (None: any); which they were."""
        ...

    def expire_scores(self, before: int | None, limit: int, *, counter: str) -> int:
        """Delete the oldest records, scores and ledger rows last written before that moment (None: any); how many."""
        ...

    def expire_messages(self, before: int, limit: int) -> int:
        """Delete messages to channels about what ended, or was told anew, before that moment; how many steps of it."""
        ...

    def merge_minutes(self, before: int) -> int:
        """Merge minutes of rollups that began before that moment into hours, where their records are gone.

        A short step of it; 0 when there is none to take.
        """
        ...

    def give_back(self, pages: int) -> None:
        """Return empty pages to the file system."""
        ...

    def clock(self) -> tuple[int, int] | None:
        """What `keep_clock` was told last."""
        ...

    def keep_clock(self, boot: int, ticks: int) -> None:
        """Remember when the machine was started by the wall clock (Unix nanoseconds), and how long ago that was."""
        ...


class Retention:
    """Keeps the store within its age and its size."""

    def __init__(
        self,
        store: RetentionStore,
        settings: config.Retention,
        *,
        drop: Callable[[Sequence[str]], None] = lambda _: None,
        minutes_days: float = MINUTES_DAYS,
        ticks: Clock | None = None,
    ) -> None:
        """`drop` is told of each trace whose content goes; rollups stay minutes for `minutes_days`, and as records do.

        `ticks` is a clock that nobody sets.

        What goes is gone, so a wall clock that is set ahead makes nothing older, and one that is wrong at the start
        has ten minutes to be set. The store remembers since when it has shown the same, or a service that starts anew
        every nine minutes would never delete anything.
        """
        self._ticks = ticks
        self._same_since: int | None = None
        self._drop = drop
        self._store = store
        self._settings = settings
        self._jumps = Jumps(ticks)
        self._minutes_days = max(minutes_days, settings.scores_days + _LATE_DAYS)
        self._early = self._early_scores = 0
        self._full = False
        self._told_at: int | None = None
        self._rollups_told_at: int | None = None

    def keep_up(self, now: int, stored: int) -> bool:
        """Steps enough for twice the traces that were `stored` since the last call; whether there is more to do.

        So the store shrinks to its ceiling under any load.
        """
        return all(self.step(now) for _ in range(1 + 2 * stored // _TRACES_A_STEP))

    def content_since(self, now: int) -> int:
        """The moment before which content is too old at `now` (both Unix nanoseconds)."""
        return self._ago(now, self._settings.content_days)

    def step(self, now: int) -> bool:
        """One short step at `now` (Unix nanoseconds); whether there is more to do."""
        aged = self._store.expire(self.content_since(now), _TRACES_A_STEP, counter="content_expired")
        if aged:
            self._drop(aged)
        old = not aged and self._store.expire_scores(
            self._ago(now, self._settings.scores_days), _RECORDS_A_STEP, counter="records_expired"
        )
        told = self._store.expire_messages(
            self._ago(now, max(self._settings.content_days, _LEAST_MESSAGE_DAYS)), _MESSAGES_A_STEP
        )
        crowded = not aged and not old and self._make_room(now)
        merged = not aged and not old and self._store.merge_minutes(self._ago(now, self._minutes_days))
        spare = self._store.free_pages() - _SPARE_PAGES
        if spare > 0:
            self._store.give_back(min(spare, _PAGES_A_STEP))
        return bool(aged or old or told or merged) or crowded or spare > _PAGES_A_STEP

    def _ago(self, now: int, days: float) -> int:
        moment = self._jumps.ago(now, int(days * DAY))
        return 0 if self._is_settling(now) else moment

    def _is_settling(self, now: int) -> bool:
        if self._ticks is None:
            return False
        ticks = self._ticks()
        if self._same_since is None:
            self._same_since = self._since_when(now - ticks, ticks)
        return ticks - self._same_since < _SETTLING

    def _since_when(self, boot: int, ticks: int) -> int:
        """The tick at which a start of this machine, by this wall clock, was first looked at; it may be this one."""
        kept = self._store.clock()
        if kept is not None and abs(kept[0] - boot) < MINUTE and kept[1] <= ticks:
            return kept[1]
        self._store.keep_clock(boot, ticks)
        return ticks

    def _make_room(self, now: int) -> bool:
        """Take the oldest content, or the oldest scores, where the store is over its ceiling; whether any was taken."""
        if self._store.used_bytes() <= self._ceiling(now):
            self._tell(now)
            return False
        contents, records = self._store.held()
        kinds = (self._take_content, self._take_scores)
        if any(take() for take in (kinds[::-1] if contents * _RECORDS_A_CONTENT < records else kinds)):
            return True
        if not self._full:
            self._full = True
            _log.error("the store is over retention.max_disk_bytes, and nothing is left that may go")
        return False

    def _ceiling(self, now: int) -> int:
        """Bytes that the store may hold; told once a day where rollups raise it."""
        ceiling, rollups = self._settings.max_disk_bytes, self._store.rollup_bytes()
        least = ceiling // _LEAST_SHARE
        if rollups <= ceiling - least:
            return ceiling
        if self._rollups_told_at is None or not 0 <= now - self._rollups_told_at < DAY:
            self._rollups_told_at = now
            _log.warning(
                "rollups never go and take about %.1f MB, more than half of retention.max_disk_bytes: the store may "
                "hold %.1f MB, so that content and records keep the other half",
                rollups / 1e6,
                (rollups + least) / 1e6,
            )
        return rollups + least

    def _take_content(self) -> bool:
        taken = self._store.expire(None, _TRACES_A_STEP, counter="content_expired_early")
        self._early += len(taken)
        if taken:
            self._drop(taken)
        return bool(taken)

    def _take_scores(self) -> bool:
        deleted = self._store.expire_scores(None, _RECORDS_A_STEP, counter="records_expired_early")
        self._early_scores += deleted
        return deleted > 0

    def _tell(self, now: int) -> None:
        """Say what went before its time, at most once an hour: a full store is back under its ceiling every second."""
        self._full = False
        if self._told_at is not None and 0 <= now - self._told_at < HOUR:
            return
        if self._early or self._early_scores:
            self._told_at = now
        if self._early:
            _log.warning(
                "the store was over retention.max_disk_bytes: content of %d traces went before its time",
                self._early,
            )
        if self._early_scores:
            _log.warning(
                "the store was over retention.max_disk_bytes: %d records went with their scores before their time",
                self._early_scores,
            )
        self._early, self._early_scores = 0, 0
