"""Two sets of rules over one stored history."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragvigil.scorer import config
from ragvigil.scorer.backtest.paged import Paged
from ragvigil.scorer.backtest.sequential import sequential_pages
from ragvigil.scorer.backtest.windows import watched, window_pages
from ragvigil.scorer.detect import nanoseconds
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.moments import DAY, HOUR, calendar_time
from ragvigil.scorer.simulate.benchmark import poisson_interval
from ragvigil.scorer.store import reading_history
from ragvigil.scorer.watch.gold import labels_of
from ragvigil.scorer.watch.port import Place, Seen

_GAP = 6 * HOUR


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one set of rules would have paged for."""

    pages: tuple[Paged, ...]
    days: float
    """Of history in which pages were looked for."""

    @property
    def per_30_days(self) -> tuple[float, float, float] | None:
        """Pages in thirty days with the exact 95 % Poisson interval; None where less than a day was looked at.

        >>> [round(rate, 2) for rate in Outcome((), 60.0).per_30_days or ()], Outcome((), 0.01).per_30_days
        ([0.0, 0.0, 1.84], None)
        """
        if self.days < 1.0:
            return None
        lower, upper = poisson_interval(len(self.pages))
        months = self.days / 30.0
        return len(self.pages) / months, lower / months, upper / months


@dataclass(frozen=True, slots=True)
class Compared:
    """Both, over the same history."""

    since: int
    until: int
    present: Outcome
    other: Outcome
    notes: tuple[str, ...]


def backtest(
    connection: sqlite3.Connection,
    present: config.Settings,
    other: config.Settings,
    *,
    since: int | None = None,
    until: int | None = None,
) -> Compared | None:
    """Pages of both settings in [since, until) (Unix nanoseconds; None: all of it); None without records.

    Raises ConfigError where the history has nothing in that time.
    Baselines and learning use what is stored before `since`; what pages there is not counted.
    """
    stretch = reading_history.first_and_last(connection)
    if stretch is None:
        return None
    begin = stretch[0] if since is None else max(since, stretch[0])
    end = stretch[1] + 1 if until is None else min(until, stretch[1] + 1)
    if begin >= end:
        first, last = (f"{calendar_time(one):%Y-%m-%d %H:%M}Z" for one in stretch)
        raise ConfigError("--since, --until", f"leave nothing of the history, which is {first} to {last}")
    outcomes = [
        Outcome(tuple(_pages(connection, one, stretch[0], begin, end)), max(0, end - begin) / DAY)
        for one in (present, other)
    ]
    return Compared(begin, end, outcomes[0], outcomes[1], tuple(_notes(connection, begin, end)))


def _pages(
    connection: sqlite3.Connection, settings: config.Settings, first: int, since: int, until: int
) -> Iterator[Paged]:
    found = {key: reading_history.buckets(connection, key) for key in reading_history.keys(connection)}
    pages = list(window_pages(found, settings.monitor, first, until))
    if settings.detect.enabled:
        labels = labels_of(settings.monitor, settings.judge)
        length = nanoseconds(settings.detect.batch_seconds)
        start = first - first % length
        for place in reading_history.services(connection):
            rows = _batches(connection, place, start, until, length)
            pages += sequential_pages(place, rows, settings, labels, start)
    environments = (None, *settings.monitor.page_environments)
    kept = [one for one in pages if since <= one.at < until and one.environment in environments]
    yield from sorted(kept, key=lambda one: (one.at, one.service, one.series))


def _batches(
    connection: sqlite3.Connection, place: Place, start: int, until: int, length: int
) -> Iterator[Sequence[Seen]]:
    while start < until:
        yield reading_history.seen(connection, place, start, min(start + length, until))
        start += length


def _notes(connection: sqlite3.Connection, since: int, until: int) -> Iterator[str]:
    yield (
        "The past cannot be judged again: bursts and canaries that a rule would have asked for are not there, "
        "so sequential pages about faithfulness come later here, or not at all."
    )
    for key in reading_history.keys(connection):
        if not watched(key):
            continue
        count = reading_history.versions(connection, key, since, until)
        if count > 1:
            yield (
                f"{key.name} of {key.service}: {count} versions measured it; the window rules saw the present one's "
                "values only, as the monitor does, and nothing before they began."
            )
        gaps = list(_gaps([one.start for one in reading_history.buckets(connection, key)], since, until))
        if gaps:
            hours = sum(stop - start for start, stop in gaps) / 3600e9
            yield (
                f"{key.name} of {key.service}: {len(gaps)} gaps of six hours or more, {hours:,.0f} hours in all, "
                "in which nothing could page."
            )


def _gaps(starts: Sequence[int], since: int, until: int) -> Iterator[tuple[int, int]]:
    moments = [since, *(one for one in starts if since <= one < until), until]
    for before, after in pairwise(moments):
        if after - before >= _GAP:
            yield before, after
