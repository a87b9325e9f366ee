"""The window rules over stored rollups: the running monitor itself, on a store that ends where the clock stands."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ragvigil.exporters import Alert, Example, Measurement
from ragvigil.scorer import config
from ragvigil.scorer.backtest.incidents import Incidents
from ragvigil.scorer.backtest.paged import Paged
from ragvigil.scorer.detect import nanoseconds, total
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.monitoring import Bucket, Incident, SeriesKey, SeriesState, Sums

_LOOKS_A_WINDOW = 6
_WATCHED = ("faithfulness", "citation", "judge.", "criteria.")


def watched(key: SeriesKey) -> bool:
    """Whether the window rules look at the series: verdicts, citations, the judge's measures and own criteria."""
    return key.name.startswith(_WATCHED)


class History(Incidents):
    """MonitorStore over buckets in memory, of which none after `now` is seen; incidents stay in memory too."""

    def __init__(self, found: dict[SeriesKey, Sequence[Bucket]]) -> None:
        self._buckets = found
        self._starts = {key: [one.start for one in own] for key, own in found.items()}
        self._running = {
            key: np.vstack([np.zeros(6), np.cumsum(_table(own), axis=0)]) for key, own in found.items()
        }
        self.due: Sequence[SeriesKey] = ()
        self.incidents = {}

    def series(self, since: int) -> Sequence[SeriesKey]:  # noqa: ARG002 - all of them are due
        """Those whose turn it is."""
        return self.due

    def buckets(self, key: SeriesKey, since: int, until: int) -> Sequence[Bucket]:
        """Those that start in [since, until)."""
        first, last = self._between(key, since, until)
        return self._buckets[key][first:last]

    def sums(self, key: SeriesKey, since: int, until: int) -> Sums:
        """Over those buckets."""
        first, last = self._between(key, since, until)
        if last - first < 2:
            return total(self._buckets[key][first:last])
        n, *rest = (self._running[key][last] - self._running[key][first]).tolist()
        return Sums(round(n), *rest)

    def first_seen(self, key: SeriesKey) -> int | None:
        """The first bucket."""
        return self._starts[key][0] if self._starts[key] else None

    def examples(self, key: SeriesKey, since: int, until: int, limit: int) -> Sequence[Example]:
        """None: nobody is told."""
        del key, since, until, limit
        return ()

    def waits_since(self) -> Mapping[tuple[str, str | None], int]:
        """None: verdicts of the past are there."""
        return {}

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Keep it."""
        del alert, channels
        self.incidents[incident.id] = incident

    def save_state(
        self,
        key: SeriesKey,
        state: SeriesState,
        at: int,
        before: Measurement | None,
        now: Measurement | None,
        counted: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Nobody asks."""

    def _between(self, key: SeriesKey, since: int, until: int) -> tuple[int, int]:
        starts = self._starts[key]
        return bisect_left(starts, since), bisect_left(starts, until)


def window_pages(
    found: dict[SeriesKey, Sequence[Bucket]], settings: config.Monitor, since: int, until: int
) -> Iterator[Paged]:
    """What the window rules of `settings` would have paged for, looking six times in each rule's window."""
    history = History({key: own for key, own in found.items() if watched(key)})
    monitor = Monitor(history, settings, [], config.Links())
    rules = {key: settings.rule(key.name) for key in found if watched(key)}
    for now, due in _looks(rules, since, until):
        history.due = due
        monitor.tick(now)
    for one in sorted(history.incidents.values(), key=lambda one: one.opened_at):
        if one.told:
            yield Paged(
                "window",
                one.key.name,
                one.key.service,
                one.key.environment,
                None,
                one.opened_at,
                one.resolved_at,
                one.before,
                one.worst,
                {"since": one.since, "reopened": one.reopened},
            )


def _looks(
    rules: dict[SeriesKey, config.Rule], since: int, until: int
) -> Iterator[tuple[int, list[SeriesKey]]]:
    steps = {key: max(1, nanoseconds(rule.window_seconds) // _LOOKS_A_WINDOW) for key, rule in rules.items()}
    due = dict.fromkeys(rules, since)
    while due and (now := min(due.values())) <= until:
        keys = [key for key in rules if due[key] == now]
        yield now, keys
        for key in keys:
            due[key] += steps[key]


def _table(own: Sequence[Bucket]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    rows = [(b.sums.n, b.sums.w, b.sums.wx, b.sums.w2, b.sums.w2x, b.sums.w2x2) for b in own]
    return np.array(rows, dtype=np.float64).reshape(-1, 6)
