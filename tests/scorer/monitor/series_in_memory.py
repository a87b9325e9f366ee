"""Series of a monitor that are kept in memory, minute by minute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ragvigil.exporters import Alert, Example, Measurement
from ragvigil.scorer.backtest.incidents import Incidents
from ragvigil.scorer.config import Links, Rule
from ragvigil.scorer.config import Monitor as Settings
from ragvigil.scorer.detect import total
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.monitoring import Bucket, Incident, MonitorStore, SeriesKey, SeriesState, Sums

MINUTE = 60_000_000_000
START = 1_772_323_200_000_000_000
"""2026-03-01 00:00 UTC."""
RULE = Rule(window_seconds=600, baseline_seconds=7_200, warmup_seconds=3_600, resolve_seconds=600)
SETTINGS = Settings(faithfulness=RULE, citation=RULE)
LINKS = Links(
    public_url="https://rag.example.com/", trace_url_template="https://tempo.example.com/trace/{trace_id}"
)


@dataclass
class Memory(Incidents):
    """The whole of MonitorStore in a few dictionaries."""

    rows: dict[SeriesKey, dict[int, Sums]] = field(default_factory=dict[SeriesKey, dict[int, Sums]])
    incidents: dict[str, Incident] = field(default_factory=dict[str, Incident])
    outbox: list[tuple[str, Alert]] = field(default_factory=list[tuple[str, Alert]])
    states: dict[SeriesKey, SeriesState] = field(default_factory=dict[SeriesKey, SeriesState])
    shown: dict[SeriesKey, tuple[Measurement | None, Measurement | None]] = field(
        default_factory=dict[SeriesKey, tuple[Measurement | None, Measurement | None]]
    )
    waiting_since: list[int] = field(default_factory=list[int])
    asked_who_waits: int = 0
    broken: SeriesKey | None = None
    reads: int = 0

    def series(self, since: int) -> Sequence[SeriesKey]:
        """Every series with a row."""
        return list(self.rows)

    def buckets(self, key: SeriesKey, since: int, until: int) -> Sequence[Bucket]:
        """Rows of the stretch."""
        if key == self.broken:
            raise OSError("disk on fire")
        found = [Bucket(at, sums) for at, sums in sorted(self.rows[key].items()) if since <= at < until]
        self.reads += len(found)
        return found

    def sums(self, key: SeriesKey, since: int, until: int) -> Sums:
        """Of those rows."""
        return total(self.buckets(key, since, until))

    def first_seen(self, key: SeriesKey) -> int | None:
        """The first row."""
        return min(self.rows[key], default=None)

    def examples(self, key: SeriesKey, since: int, until: int, limit: int) -> Sequence[Example]:
        """Three traces of hostile text."""
        reasons = ("cites doc-9, which was not retrieved", "cites \x1b[31mdoc-7\u202e", "cites\nnothing")
        return [
            Example(f"{number:032x}", "How do I \x00reset it?", "Press <b>both</b> keys [9].", reason)
            for number, reason in enumerate(reasons[:limit], start=1)
        ]

    def waits_since(self) -> Mapping[tuple[str, str | None], int]:
        """The same everywhere."""
        self.asked_who_waits += 1
        places = {(key.service, key.environment) for key in self.rows}
        return {place: min(self.waiting_since) for place in places} if self.waiting_since else {}

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Both at once."""
        self.incidents[incident.id] = incident
        if alert is not None:
            self.outbox += [(channel, alert) for channel in channels]

    def save_state(
        self,
        key: SeriesKey,
        state: SeriesState,
        at: int,
        before: Measurement | None,
        now: Measurement | None,
        counted: Sequence[tuple[int, int]] = (),
    ) -> None:
        """The latest of each."""
        del counted
        self.states[key] = state
        self.shown[key] = (before, now)

    def add(self, key: SeriesKey, minutes: range, rate: float, *, n: int = 40) -> None:
        """`n` observations a minute, of which exactly the share `rate` passes."""
        for minute in minutes:
            passes = float(round(n * rate))
            sums = Sums(n, float(n), passes, float(n), passes, passes)
            self.rows.setdefault(key, {})[START + minute * MINUTE] = sums


def monitor(store: MonitorStore, settings: Settings = SETTINGS, links: Links = LINKS) -> Monitor:
    """A monitor with one channel."""
    return Monitor(store, settings, ["on-call"], links)


def run(watching: Monitor | Callable[[], Monitor], minutes: range) -> list[Alert]:
    """A tick at the end of every minute; a callable makes a new monitor for each."""
    alerts: list[Alert] = []
    for minute in minutes:
        current = watching if isinstance(watching, Monitor) else watching()
        alerts += current.tick(START + (minute + 1) * MINUTE)
    return alerts


def one_fall(store: Memory, key: SeriesKey) -> None:
    """Three good hours, half a bad one, a good one."""
    store.add(key, range(180), 0.95)
    store.add(key, range(180, 210), 0.5)
    store.add(key, range(210, 270), 0.95)
