"""What the monitor reads and writes: series, rollup buckets, incidents, deliveries."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from ragvigil.exporters import Alert, Example, Measurement
from ragvigil.scorer.trace import Place

SeriesName = Literal["faithfulness", "citation"]
JudgedName = str
"""Measures beside faithfulness: ``judge.answer_relevance``, or ``criteria.NAME`` for a criterion of the team's own."""
JUDGED: tuple[JudgedName, ...] = (
    "judge.answer_relevance",
    "judge.context_relevant_share",
    "judge.context_precision",
    "judge.six_axes",
)
CRITERION = re.compile(r"criteria\.[a-z][a-z0-9_-]{0,40}")
CoverageName = Literal[
    "coverage_scored",
    "coverage_complete",
    "coverage_texts",
    "coverage_asked",
    "coverage_answered",
    "coverage_delivered",
]
DetectedName = Literal["retrieval", "judge", "cheap", "traffic"]
"""What only the sequential detectors tell of."""
HealthName = Literal["scorer_backlog", "scorer_judge", "scorer_disk"]
"""How the scorer itself is."""
ArrivalName = Literal["arrivals"]
"""Whether a service still sends: no rate, it does or it does not."""
LeakName = Literal["leak"]
"""Personal data or a secret in an answer: no rate, every one is an event."""
StormName = Literal["storm"]
"""Many services that fell at once: no rate, their pages in one."""
AnyName = (
    SeriesName | JudgedName | CoverageName | DetectedName | HealthName | ArrivalName | LeakName | StormName
)
Detector = Literal["window", "sequential"]
FLOOR = "floor"
"""Method of the reference that is no measurement: the least level that was set."""
SeriesState = Literal[
    "ok", "warning", "alert", "insufficient_sample", "no_data", "judge_unavailable", "cold_start"
]


def is_told(environment: str | None, environments: Collection[str]) -> bool:
    """Whether anybody is told of that environment: one of these (`monitor.page_environments`), or where none is named.

    >>> [is_told(one, ["production"]) for one in ("production", "staging", None)]
    [True, False, True]
    """
    return environment is None or environment in environments


def told_in(environments: Collection[str]) -> Callable[[Place], bool]:
    """Of which places anybody is told, where these environments are told.

    >>> [told_in(["production"])(("faq", one)) for one in ("production", "staging", None)]
    [True, False, True]
    """
    return lambda place: is_told(place[1], environments)


def told_everywhere(_: Place) -> bool:
    """Whether somebody is told of that place."""
    return True


def rank(*, told: bool, ill: bool, answers: float, chosen: bool) -> tuple[bool, bool, float, bool]:
    """What sorts first where there is no room for all: who is told, then who is in an incident, then who answers most.

    Who is chosen stays until another answers twice as much.

    >>> [rank(told=True, ill=False, answers=n, chosen=chosen) for n, chosen in ((9, False), (5, True))]
    [(False, True, -9, True), (False, True, -10, False)]
    """
    return not told, not ill, -answers * (1 + chosen), not chosen


class SeriesKey(NamedTuple):
    """One watched series: a rate of one service in one environment."""

    name: AnyName
    service: str
    environment: str | None

    def is_told(self, environments: Collection[str]) -> bool:
        """Whether anybody is told of it, where these environments are told.

        >>> [SeriesKey("citation", "faq", one).is_told(["production"]) for one in ("production", "staging", None)]
        [True, False, True]
        """
        return is_told(self.environment, environments)


@dataclass(frozen=True, slots=True)
class Sums:
    """Sufficient statistics of a weighted mean of x in [0, 1] with weights w = 1 / inclusion probability.

    They add up over buckets, which is what makes a rollup enough and a scan unnecessary.
    """

    n: int = 0
    w: float = 0.0
    wx: float = 0.0
    w2: float = 0.0
    w2x: float = 0.0
    w2x2: float = 0.0

    def __add__(self, other: Sums) -> Sums:
        """The sums over both.

        >>> Sums.of(1.0, 10.0) + Sums.of(0.0, 10.0)
        Sums(n=2, w=20.0, wx=10.0, w2=200.0, w2x=100.0, w2x2=100.0)
        """
        return Sums(
            self.n + other.n,
            self.w + other.w,
            self.wx + other.wx,
            self.w2 + other.w2,
            self.w2x + other.w2x,
            self.w2x2 + other.w2x2,
        )

    def __neg__(self) -> Sums:
        """What takes these sums away again, when a late span corrects a score."""
        return Sums(-self.n, -self.w, -self.wx, -self.w2, -self.w2x, -self.w2x2)

    @classmethod
    def of(cls, value: float, weight: float = 1.0) -> Sums:
        """The sums of one observation."""
        square = weight * weight
        return cls(1, weight, weight * value, square, square * value, square * value * value)


@dataclass(frozen=True, slots=True)
class Bucket:
    """Rollup of one series over a short stretch of event time."""

    start: int
    """Unix time of the bucket's start, nanoseconds."""
    sums: Sums


@dataclass(frozen=True, slots=True)
class Incident:
    """One fall of one series, from the page to its resolution."""

    id: str
    key: SeriesKey
    dedup_key: str
    opened_at: int
    """Unix time, nanoseconds, like every moment here."""
    since: int
    """Estimated moment at which the fall began."""
    before: Measurement
    worst: Measurement
    """The lowest level that it surely had: of all looks, the one with the lowest upper end of its interval."""
    now: Measurement
    recovering_since: int | None = None
    resolved_at: int | None = None
    detector: Detector = "window"
    """Whose it is to end it."""
    segment: str | None = None
    """``language=de`` where one segment is at fault."""
    stream: int | None = None
    """Code of that segment."""
    told: bool = True
    """Whether anybody was told; not while another incident explains it."""
    note: str | None = None
    """What else the evidence says, in words."""
    first: Measurement | None = None
    """The level with which it opened, as told; late data may correct it."""
    first_until: int | None = None
    """End of the event time that `first` covers, from `since` on."""
    amended_at: int | None = None
    """When late data last corrected what had been told."""
    withdrawn: bool = False
    """Whether late data showed that there was no fall."""
    reopened: int = 0
    """How often the series fell again soon after this one had resolved."""
    again_since: int | None = None
    """Estimated moment at which it last fell again; None where it did not."""
    last_told: Measurement | None = None
    """The lowest level that a page has told: an update needs one surely below it. None: `worst`."""

    @property
    def under_floor(self) -> bool:
        """Whether it is about a level under the floor that was set (`detect.slo`), and not about a fall."""
        return self.before.method == FLOOR


@dataclass(frozen=True, slots=True)
class Delivery:
    """One alert on its way to one channel."""

    id: int
    channel: str
    alert: Alert
    attempts: int
    reference: str | None = None
    """What the channel called its last message about this incident."""


class MonitorStore(Protocol):
    """What the monitor needs of the store; every call happens on the store's one writing thread."""

    def series(self, since: int) -> Sequence[SeriesKey]:
        """Those to look at: of which anything came since then, in an incident, or whose state is of when some came."""
        ...

    def buckets(self, key: SeriesKey, since: int, until: int) -> Sequence[Bucket]:
        """Buckets whose start lies in [since, until), oldest first; empty ones are absent."""
        ...

    def sums(self, key: SeriesKey, since: int, until: int) -> Sums:
        """The sums over those buckets."""
        ...

    def first_seen(self, key: SeriesKey) -> int | None:
        """Start of the series' first bucket."""
        ...

    def examples(self, key: SeriesKey, since: int, until: int, limit: int) -> Sequence[Example]:
        """Traces of that stretch that show the fault best (lowest value first, newest first among equals)."""
        ...

    def waits_since(self) -> Mapping[tuple[str, str | None], int]:
        """Since when the oldest record waits for its verdict (Unix nanoseconds), by service and environment."""
        ...

    def open_incident(self, key: SeriesKey) -> Incident | None:
        """The incident of that series that is not resolved."""
        ...

    def neighbours(self, key: SeriesKey, since: int) -> Sequence[Incident]:
        """Incidents of that service and environment, of any series, that are open or resolved at or after `since`.

        The newest is first.
        """
        ...

    def incident_spans(self, key: SeriesKey, since: int) -> Sequence[tuple[int, int | None]]:
        """(since, resolved_at) of the incidents that touch [since, now): the baseline leaves them out.

        One that was withdrawn is none: nothing was wrong.
        """
        ...

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel in one transaction."""
        ...

    def save_state(
        self,
        key: SeriesKey,
        state: SeriesState,
        at: int,
        before: Measurement | None,
        now: Measurement | None,
        counted: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Remember the series' latest evaluation for `ragvigil status`.

        `counted` says of which buckets `now` is: those that start in one of these stretches [from, to).
        """
        ...


class OutboxStore(Protocol):
    """What the courier needs of the store."""

    async def due(self, now: int, limit: int) -> Sequence[Delivery]:
        """Deliveries whose time has come, at most `limit` for each channel, none silenced.

        Of an incident and channel only the oldest that waits; what is graver first.
        """
        ...

    async def delivered(self, delivery: int, at: int, reference: str | None) -> None:
        """The channel has it; `reference` is handed back with the incident's next alert, None keeps what is kept."""
        ...

    async def postponed(self, delivery: int, next_at: int, reason: str) -> None:
        """Try again at `next_at`; the attempt is counted."""
        ...

    async def resumed(self, channel: str, at: int) -> None:
        """The channel takes messages again: all that waits for it is due now, in the order of the outbox."""
        ...

    async def refused(self, delivery: int, at: int, reason: str) -> None:
        """The channel will never take this message; kept and shown, not retried."""
        ...
