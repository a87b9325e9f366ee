"""An outbox in memory, and channels that answer as they were told to."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from ragvigil.exporters import Action, Alert, Measurement, Outcome
from ragvigil.scorer.incidents.deliver import Courier
from ragvigil.scorer.monitoring import Delivery

SECOND = 1_000_000_000
DELIVERED = Outcome(delivered=True)
DOWN = Outcome(delivered=False, retry=True, reason="http_503")
RATE = Measurement(0.5, 0.4, 0.6, 80)
ALERT = Alert(
    "inc-1", "key-1", "trigger", "error", "citation", "shop", None, "It fell", "By much.", RATE, RATE,
    since=datetime(2026, 3, 1, tzinfo=UTC), at=datetime(2026, 3, 1, tzinfo=UTC),
)  # fmt: skip


@dataclass
class Row:
    """One message in the outbox."""

    delivery: Delivery
    next_at: int = 0
    state: str = "waiting"
    reason: str = ""


@dataclass
class Outbox:
    """OutboxStore in a list."""

    rows: list[Row] = field(default_factory=list[Row])
    failing: bool = False
    references: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    def put(self, channel: str, *actions: Action, incident: str = "inc-1") -> None:
        """Messages of one incident, in order."""
        for action in actions:
            alert = replace(ALERT, incident_id=incident, action=action)
            self.rows.append(Row(Delivery(len(self.rows), channel, alert, 0)))

    def states(self, channel: str) -> list[str]:
        """How the messages to one channel stand."""
        return [row.state for row in self.rows if row.delivery.channel == channel]

    async def due(self, now: int, limit: int) -> Sequence[Delivery]:
        """The oldest waiting of each incident and channel, if its time has come."""
        if self.failing:
            raise OSError("disk on fire")
        oldest: dict[tuple[str, str], Row] = {}
        for row in self.rows:
            if row.state == "waiting":
                oldest.setdefault((row.delivery.alert.incident_id, row.delivery.channel), row)
        waiting = sorted(oldest.items(), key=lambda one: (one[1].next_at, one[1].delivery.id))
        ready = [(place, row.delivery) for place, row in waiting if row.next_at <= now]
        return [replace(delivery, reference=self.references.get(place)) for place, delivery in ready][:limit]

    async def delivered(self, delivery: int, at: int, reference: str | None) -> None:
        """Done."""
        if self.failing:
            raise OSError("disk on fire")
        row = self.rows[delivery]
        row.state = "delivered"
        if reference is not None:
            self.references[row.delivery.alert.incident_id, row.delivery.channel] = reference

    async def postponed(self, delivery: int, next_at: int, reason: str) -> None:
        """Later."""
        row = self.rows[delivery]
        row.next_at, row.reason = next_at, reason
        row.delivery = replace(row.delivery, attempts=row.delivery.attempts + 1)

    async def resumed(self, channel: str, at: int) -> None:
        """All that waits for it is due."""
        for row in self.rows:
            if row.delivery.channel == channel and row.state == "waiting":
                row.next_at = at

    async def refused(self, delivery: int, at: int, reason: str) -> None:
        """Never."""
        self.rows[delivery].state, self.rows[delivery].reason = "refused", reason


@dataclass
class Scripted:
    """A channel that answers as it is told, and DELIVERED from then on."""

    answers: list[Outcome | BaseException] = field(default_factory=list[Outcome | BaseException])
    got: list[str] = field(default_factory=list[str])
    references: list[str | None] = field(default_factory=list[str | None])
    before: Callable[[], Awaitable[object]] | None = None

    async def send(self, alert: Alert, reference: str | None) -> Outcome:
        """Take one alert."""
        if self.before is not None:
            await self.before()
        self.references.append(reference)
        self.got.append(f"{alert.incident_id} {alert.action}")
        answer = self.answers.pop(0) if self.answers else DELIVERED
        if isinstance(answer, BaseException):
            raise answer
        return answer


@dataclass
class Picky(Scripted):
    """A channel that one message breaks."""

    never: str = ""

    async def send(self, alert: Alert, reference: str | None) -> Outcome:
        """Take one alert, unless it is that one."""
        broken = f"{alert.incident_id} {alert.action}" == self.never
        return DOWN if broken else await super().send(alert, reference)


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1_000 * SECOND

    def __call__(self) -> int:
        return self.now

    def forward(self, seconds: float) -> int:
        """Move it, and read it."""
        self.now += round(seconds * SECOND)
        return self.now


def courier(outbox: Outbox, clock: Clock, *, send_seconds: float = 30.0, **channels: Scripted) -> Courier:
    """A courier with seeded jitter."""
    return Courier(outbox, channels, now=clock, jitter=random.Random(1), send_seconds=send_seconds)
