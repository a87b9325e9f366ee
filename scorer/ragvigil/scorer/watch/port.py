"""What the watcher reads and writes: sightings, batches, detectors, past verdicts, incidents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from ragvigil.exporters import Alert, Example
from ragvigil.scorer.monitoring import AnyName, Bucket, Incident, SeriesKey
from ragvigil.scorer.store.port import Job, LedgerState


class Place(NamedTuple):
    """One service in one environment: what one detector watches."""

    service: str
    environment: str | None

    def key(self, name: AnyName) -> SeriesKey:
        """Its series of that name."""
        return SeriesKey(name, self.service, self.environment)


class Seen(NamedTuple):
    """One record of a batch."""

    record_id: int
    trace_id: str
    started_at: int
    """Unix time, nanoseconds."""
    segment: str
    """JSON object of its dimensions."""
    conversation: int
    cheap: float | None
    citation_ok: int | None
    documents: int | None
    state: LedgerState
    inclusion: float
    passed: float | None
    """1 or 0 of a claim-bearing verdict."""
    judge: str | None
    """Whose verdict that is: version and prompt."""
    stream: int | None
    """Code of its segment, once the batch was planned."""


class Raised(NamedTuple):
    """A record whose inclusion probability rises before its batch is decided."""

    record_id: int
    inclusion: float
    judged: bool
    """Whether that makes it one to judge that was not."""


class Past(NamedTuple):
    """A verdict of before, and the job to judge the same again."""

    job: Job
    passed: int


class WatchStore(Protocol):
    """What the watcher needs of the store; every call happens on the store's one writing thread."""

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside becomes durable together, or nothing."""
        ...

    def places(self) -> Sequence[Place]:
        """Every service and environment with a record that is kept for the detectors, or with an open incident."""
        ...

    def in_incident(self) -> Collection[Place]:
        """Those with an incident that is not resolved."""
        ...

    def answers(self, place: Place, since: int) -> int:
        """How many came of it from the minute of that moment on."""
        ...

    def detector(self, place: Place) -> tuple[str | None, str | None]:
        """(the watcher's state, the core's state), as saved; None before the first."""
        ...

    def save_detector(self, place: Place, state: str, core: str) -> None:
        """Keep both, instead of what was kept."""
        ...

    def first_waiting(self, place: Place) -> int | None:
        """When the oldest record that waits for a batch began."""
        ...

    def newest_taken(self, place: Place) -> int | None:
        """When the newest record that is in a batch began."""
        ...

    def take(self, place: Place, end: int, late: int) -> int:
        """Put what waits and began before `end` into the batch that ends there; what began before `late` into none.

        Returns how many came too late.
        """
        ...

    def batch(self, place: Place, end: int, since: int) -> Sequence[Seen]:
        """The records of a batch, in order of time; none began before `since`."""
        ...

    def waits(self, place: Place, end: int, since: int) -> bool:
        """Whether any record of a batch waits for its verdict; none began before `since`."""
        ...

    def set_streams(self, streams: Sequence[tuple[int, int]]) -> None:
        """(segment code, record id) of each record."""
        ...

    def raise_inclusion(self, raised: Sequence[Raised], now: int) -> Sequence[Job]:
        """Note the probabilities, and the verdicts' weights with them; the records to judge."""
        ...

    def past(self, place: Place, before: int, limit: int) -> Sequence[Past]:
        """The newest current verdicts given before that moment on answers whose content is still there."""
        ...

    def frozen(self, place: Place, before: int, limit: int, now: int) -> Sequence[Past]:
        """The verdicts that are compared with every time, as long as their content is there.

        What is missing of `limit` is taken from `past`, and kept from `now` on.
        """
        ...

    def refreeze(self, passed: Sequence[tuple[int, int]]) -> None:
        """(verdict, record id) to compare with from now on, of those that are frozen: the judge has moved."""
        ...

    def save_canary(self, rows: Sequence[tuple[int, int, str, int, int]]) -> None:
        """(record id, moment, judge version, verdict before, verdict now): no scores of record."""
        ...

    def levels(
        self, key: SeriesKey, stream: int | None, since: int, until: int, grain: int
    ) -> Sequence[Bucket]:
        """Sums of the faithfulness, citation or retrieval series of one segment (None: all), by `grain` ns."""
        ...

    def examples(
        self, key: SeriesKey, stream: int | None, since: int, until: int, limit: int
    ) -> Sequence[Example]:
        """Traces of that stretch that show the fault."""
        ...

    def open_incidents(self, place: Place) -> Sequence[Incident]:
        """Those that are not resolved, oldest first."""
        ...

    def neighbours(self, key: SeriesKey, since: int) -> Sequence[Incident]:
        """Incidents of that service and environment that are open or resolved at or after `since`, newest first."""
        ...

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel, within the transaction."""
        ...

    def forget_sightings(self, place: Place, before: int) -> None:
        """Delete what began before that moment and what came too late."""
        ...
