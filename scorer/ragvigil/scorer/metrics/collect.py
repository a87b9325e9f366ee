"""From the store and the running pipeline to one snapshot of every metric.

It runs beside scoring, over a connection of its own that only reads, and touches sums and counters: how long it
takes does not depend on how many records are stored.
"""

from __future__ import annotations

import math
import shutil
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from itertools import groupby
from typing import get_args

from ragvigil.exporters import Measurement
from ragvigil.scorer.config import Settings
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.estimate import Estimate, rate
from ragvigil.scorer.inbox import InboxReader
from ragvigil.scorer.inbox.segments import bytes_on_disk
from ragvigil.scorer.metrics.bounds import Admission
from ragvigil.scorer.metrics.measures import OTHER, Exemplar, Measures
from ragvigil.scorer.metrics.segments import by_segment
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.monitor.shares import Coverage
from ragvigil.scorer.monitoring import SeriesKey, SeriesState, Sums, is_told
from ragvigil.scorer.sample import Pressure, factor_of
from ragvigil.scorer.store import reading_metrics as reading
from ragvigil.scorer.store._sqlite_seen import told_state
from ragvigil.scorer.store.reading import open_for_reading

_SEGMENT_OBSERVATIONS = 20_000
_ALL_SEGMENT_OBSERVATIONS = 50_000
"""Newest observations of one series, and of all together, that segments are told of: what one look may cost."""
_REASONS = 50
_LIVES = 2 * DAY
"""A service of which nothing came for as long gives its name to one that needs it."""
_COUNTED = {
    "verdict": "ragvigil_verdicts_total",
    "judge_failure": "ragvigil_judge_failures_total",
    "judge_tokens": "ragvigil_judge_tokens_total",
    "dialect_failure": "ragvigil_dialect_failures_total",
    "misdated": "ragvigil_misdated_traces_total",
}


@dataclass(frozen=True, slots=True)
class Vitals:
    """What the score process knows of itself and nobody stores."""

    backlog_seconds: float
    open_traces: int
    judge_waiting: int
    evaluated_at: float | None
    """When the series were last evaluated without a failure, Unix seconds."""
    coverage: Sequence[Coverage] = ()
    sinks: Mapping[str, Mapping[str, int]] | None = None
    """By sink: ``scores.OUTCOME``, ``attempts.OUTCOME``, ``waiting`` and ``dropped``."""
    pressures: Sequence[Pressure] = ()
    """How near each limit of the sample is."""


class Collector:
    """Makes snapshots; what it remembers between two is which label values keep their names."""

    def __init__(
        self, settings: Settings, vitals: Callable[[], Vitals], *, now: Callable[[], int] = time.time_ns
    ) -> None:
        self._settings = settings
        self._vitals = vitals
        self._now = now
        self._services = Admission("service", settings.metrics.most_services)
        self._reasons: dict[str, Admission] = defaultdict(lambda: Admission("reason", _REASONS))
        self._segments: dict[SeriesKey, dict[str, Admission]] = {}

    def collect(self) -> Measures:
        """Everything, now. Raises StoreError or sqlite3.Error when the store cannot be read."""
        told = Measures.empty(self._now())
        segments = [one for by in self._segments.values() for one in by.values()]
        for admission in (self._services, *self._reasons.values(), *segments):
            admission.next_look()
        with closing(open_for_reading(self._settings.store.path)) as connection:
            # One moment of the store: a verdict between two reads would be in a segment and not in the whole.
            with connection:
                connection.execute("BEGIN")
                self._series(told, connection)
            self._histograms(told, connection)
            self._incidents(told, connection)
            self._ledger(told, connection)
            self._deliveries(told, connection)
            self._sizes(told, connection)
        self._own(told)
        folded = sum(one.folded for by in self._segments.values() for one in by.values())
        told.put("ragvigil_label_values_folded", self._services.folded, "service")
        told.put("ragvigil_label_values_folded", folded, "segment")
        told.put("ragvigil_label_values_folded", sum(one.folded for one in self._reasons.values()), "reason")
        return told

    def _place(self, service: str, environment: str | None, last: int | None = None) -> tuple[str, str]:
        """Where it is told, by when something of it last came (Unix nanoseconds; None: nobody knows, or just now)."""
        lives = last is None or last >= self._now() - _LIVES
        told = is_told(environment, self._settings.monitor.page_environments)
        inside = service != OTHER and self._services.admits((service, environment), lives=lives, first=told)
        return (service, environment or "") if inside else (OTHER, "")

    def _reason(self, what: str, reason: str) -> str:
        return reason if reason != OTHER and self._reasons[what].admits(reason) else OTHER

    def _series(self, told: Measures, connection: sqlite3.Connection) -> None:
        outside: dict[str, list[reading.Level]] = defaultdict(list)
        levels = reading.levels(connection)
        counted = {level.key for level in levels if level.counted}
        self._segments = {key: found for key, found in self._segments.items() if key in counted}
        most = min(_SEGMENT_OBSERVATIONS, _ALL_SEGMENT_OBSERVATIONS // max(1, len(levels)))
        for level in levels:
            place = self._place(level.key.service, level.key.environment, level.last)
            if place[0] == OTHER:
                outside[level.key.name].append(level)
                continue
            sums = reading.sums_of(connection, level.key, level.counted)
            found = rate(sums) if level.counted else level.now
            _put_level(told, (level.key.name, *place, "", level.instrument), found)
            if level.before is not None:
                labels = (level.key.name, *place, "", level.instrument)
                told.put("ragvigil_series_baseline_ratio", level.before.value, *labels)
            for state in get_args(SeriesState):
                told.put("ragvigil_series_state", float(state == level.state), level.key.name, *place, state)
            self._put_segments(told, connection, level, place, most)
        for name, folded in outside.items():
            whole = sum((reading.sums_of(connection, one.key, one.counted) for one in folded), Sums())
            _put_level(told, (name, OTHER, "", "", OTHER), rate(whole))

    def _put_segments(
        self,
        told: Measures,
        connection: sqlite3.Connection,
        level: reading.Level,
        place: tuple[str, str],
        most: int,
    ) -> None:
        settings = self._settings.metrics
        if not settings.segment_by or not level.counted:
            return
        rows = reading.segment_sums(connection, level.key, level.counted, most)
        admissions = self._segments.setdefault(level.key, {})
        for name, sums in by_segment(rows, settings.segment_by, admissions, settings.most_segments).items():
            _put_level(told, (level.key.name, *place, name, level.instrument), rate(sums))

    def _histograms(self, told: Measures, connection: sqlite3.Connection) -> None:
        grouped: dict[tuple[str, str, str, str], dict[float, list[reading.ScoreCount]]] = defaultdict(
            lambda: defaultdict(list)
        )
        rows = reading.score_counts(connection)
        last: dict[tuple[str, str | None], int] = defaultdict(int)
        for row in rows:
            last[row.service, row.environment] = max(row.at, last[row.service, row.environment])
        for row in rows:
            place = self._place(row.service, row.environment, last[row.service, row.environment])
            instrument = OTHER if place[0] == OTHER else row.instrument
            grouped[(row.score, *place, instrument)][row.edge].append(row)
        for labels, by_edge in grouped.items():
            total = sum(row.total for rows in by_edge.values() for row in rows)
            told.put_histogram("ragvigil_answer_score_ratio", labels, _cumulated(by_edge), total)

    def _incidents(self, told: Measures, connection: sqlite3.Connection) -> None:
        for key, opened, unresolved in reading.incident_counts(connection):
            place = self._place(key.service, key.environment, None if unresolved else 0)
            told.add("ragvigil_incidents_total", opened, key.name, *place)
            told.add("ragvigil_incidents_open", unresolved, key.name, *place)

    def _ledger(self, told: Measures, connection: sqlite3.Connection) -> None:
        for state, reason, entered, standing in reading.ledger_counts(connection):
            shown = told_state(state, reason)
            told.add("ragvigil_records_total", entered, shown, self._reason(state, reason))
            told.add("ragvigil_ledger_records", standing, shown)
        told.put("ragvigil_judge_cost_usd_total", 0.0)
        for name, value in reading.counters(connection).items():
            group, _, key = name.partition(".")
            if group in _COUNTED:
                told.add(_COUNTED[group], value, self._reason(group, key))
            if group == "judge_failure":
                told.add("ragvigil_verdicts_total", value, "failed")
            elif name == "judge_microusd":
                told.put("ragvigil_judge_cost_usd_total", value / 1e6)

    def _deliveries(self, told: Measures, connection: sqlite3.Connection) -> None:
        for channel in self._settings.channels:
            told.put("ragvigil_deliveries_waiting", 0, channel)
        for row in reading.deliveries(connection):
            told.add("ragvigil_delivery_attempts_total", row.attempts, row.channel)
            if row.outcome == "waiting":
                told.put("ragvigil_deliveries_waiting", row.n, row.channel)
            else:
                outcome = self._reason("delivery", row.outcome)
                told.add("ragvigil_deliveries_total", row.n, row.channel, outcome)

    def _sizes(self, told: Measures, connection: sqlite3.Connection) -> None:
        path, inbox = self._settings.store.path, self._settings.inbox_path
        names = ("store_bytes", "store_used_bytes", "store_log_bytes")
        for name, size in zip(names, reading.sizes(connection, path), strict=True):
            told.put(f"ragvigil_{name}", size)
        for disk, folder in (("store", path.parent), ("inbox", inbox)):
            if folder.is_dir():
                told.put("ragvigil_disk_free_bytes", shutil.disk_usage(folder).free, disk)
        if inbox.is_dir():
            told.put("ragvigil_inbox_bytes", bytes_on_disk(inbox))
            told.put("ragvigil_inbox_oldest_seconds", self._oldest())

    def _oldest(self) -> float:
        with closing(InboxReader(self._settings.inbox_path)) as reader:
            try:
                oldest = reader.oldest_received_at()
            except StoreError:
                return 0.0
        return 0.0 if oldest is None else max(0.0, (self._now() - oldest) / 1e9)

    def _own(self, told: Measures) -> None:
        vitals = self._vitals()
        told.put("ragvigil_backlog_seconds", vitals.backlog_seconds)
        told.put("ragvigil_open_traces", vitals.open_traces)
        told.put("ragvigil_judge_waiting_records", vitals.judge_waiting)
        told.put("ragvigil_sample_factor_ratio", factor_of(vitals.pressures))
        for one in vitals.pressures:
            told.put("ragvigil_sample_limit_used_ratio", one.used / one.most, one.limit)
        if vitals.evaluated_at is not None:
            told.put("ragvigil_scorer_evaluated_timestamp_seconds", vitals.evaluated_at)
        for place, found in groupby(
            sorted(vitals.coverage, key=lambda one: self._place(one.service, one.environment)),
            lambda one: self._place(one.service, one.environment),
        ):
            for which, share in _pooled(list(found)).shares():
                told.put("ragvigil_coverage_ratio", share.value, which.removeprefix("coverage_"), *place)
        for sink, counts in (vitals.sinks or {}).items():
            for name, count in counts.items():
                what, _, outcome = name.partition(".")
                if what == "waiting":
                    told.put("ragvigil_export_waiting_changes", count, sink)
                elif what == "dropped":
                    told.put("ragvigil_export_dropped_changes_total", count, sink)
                else:
                    told.put(f"ragvigil_export_{what}_total", count, sink, self._reason("export", outcome))


def _put_level(told: Measures, labels: tuple[str, ...], found: Measurement | Estimate | None) -> None:
    """Value, interval and n; nothing at all where there is no number, for no data is never zero."""
    if found is None:
        return
    n = found.n_judged if isinstance(found, Estimate) else found.n
    for name, value in (("", found.value), ("lower_", found.lower), ("upper_", found.upper)):
        told.put(f"ragvigil_series_{name}ratio", value, *labels)
    told.put("ragvigil_series_observations", n, *labels)
    if found.n_traces is not None:
        told.put("ragvigil_series_represented_answers", found.n_traces, *labels)


def _cumulated(
    by_edge: Mapping[float, Sequence[reading.ScoreCount]],
) -> list[tuple[float, int, Exemplar | None]]:
    """Every bucket, also empty ones: counts at or under its edge, and the latest answer in it."""
    from ragvigil.scorer.store._sqlite_score_counts import EDGES

    whole = 0
    buckets: list[tuple[float, int, Exemplar | None]] = []
    for edge in EDGES:
        rows = by_edge.get(edge, ())
        whole += sum(row.n for row in rows)
        latest = max(
            (row for row in rows if row.trace_id and row.span_id), key=lambda row: row.at, default=None
        )
        shown = (
            None
            if latest is None
            else Exemplar(latest.trace_id or "", latest.span_id or "", latest.value, latest.at)
        )
        buckets.append((edge, whole, shown))
    return [*buckets, (math.inf, whole, None)]


def _pooled(found: Sequence[Coverage]) -> Coverage:
    """The sums of several services."""
    _, _, *counts = zip(*map(astuple, found), strict=True)
    return Coverage(found[0].service, found[0].environment, *map(sum, counts))
