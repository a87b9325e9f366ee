"""The courier: at least once, in order, each channel on its own, for ever."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from ragvigil.exporters import Action, Alert, Measurement, Outcome
from ragvigil.scorer.incidents.deliver import LONGEST_DELAY_SECONDS, Courier
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


async def test_a_message_arrives_once() -> None:
    """And is not sent again at the next round."""
    outbox, clock, channel = Outbox(), Clock(), Scripted()
    outbox.put("a", "trigger")
    carrier = courier(outbox, clock, a=channel)
    await carrier.deliver_due(clock())
    await carrier.deliver_due(clock.forward(1))
    assert channel.got == ["inc-1 trigger"]
    assert outbox.states("a") == ["delivered"]
    assert carrier.counts == {("a", "delivered", ""): 1}


async def test_an_incident_is_told_in_order_also_after_an_outage() -> None:
    """The resolve waits for the trigger, however late that is."""
    outbox, clock, channel = Outbox(), Clock(), Scripted([DOWN] * 3)
    outbox.put("a", "trigger", "update", "resolve")
    carrier = courier(outbox, clock, a=channel)
    for _ in range(10):
        await carrier.deliver_due(clock.forward(LONGEST_DELAY_SECONDS))
    assert channel.got == ["inc-1 trigger"] * 4 + ["inc-1 update", "inc-1 resolve"]
    assert outbox.states("a") == ["delivered"] * 3


async def test_what_a_channel_calls_its_message_comes_back_with_the_next_alert() -> None:
    """Per incident and channel; a failure or an outcome without one changes nothing."""
    posted = replace(DELIVERED, reference="C1 17.01")
    outbox, clock, channel, other = Outbox(), Clock(), Scripted([posted, DOWN]), Scripted()
    outbox.put("a", "trigger", "update", "resolve")
    outbox.put("a", "trigger", incident="inc-2")
    outbox.put("b", "trigger", "update")
    carrier = courier(outbox, clock, a=channel, b=other)
    for _ in range(5):
        await carrier.deliver_due(clock.forward(LONGEST_DELAY_SECONDS))
    assert dict.fromkeys(zip(channel.got, channel.references, strict=True)).keys() == {
        ("inc-1 trigger", None),
        ("inc-2 trigger", None),
        ("inc-1 update", "C1 17.01"),
        ("inc-1 resolve", "C1 17.01"),
    }
    assert other.references == [None, None]


async def test_a_channel_that_fails_for_days_is_never_given_up() -> None:
    """A thousand failures later it is still tried within five minutes."""
    outbox, clock, channel = Outbox(), Clock(), Scripted([DOWN] * 1_000)
    outbox.put("a", "trigger")
    carrier = courier(outbox, clock, a=channel)
    for _ in range(1_000):
        await carrier.deliver_due(clock())
        row = outbox.rows[0]
        assert row.state == "waiting"
        assert row.next_at - clock() <= LONGEST_DELAY_SECONDS * SECOND
        clock.now = row.next_at
    await carrier.deliver_due(clock())
    assert outbox.states("a") == ["delivered"]
    assert carrier.counts["a", "postponed", "http_503"] == 1_000


async def test_pauses_grow_and_differ() -> None:
    """Full jitter under 2, 4, 8 … 300 s: many scorers do not come back in step."""
    carrier = courier(Outbox(), Clock())
    for attempts, ceiling in ((0, 2), (1, 4), (5, 64), (8, 300), (10_000, 300)):
        pauses = [carrier.delay_seconds(attempts) for _ in range(500)]
        assert max(pauses) <= ceiling
        assert max(pauses) > 0.95 * ceiling
        assert min(pauses) < 0.05 * ceiling


async def test_a_service_that_asks_for_time_gets_it_for_all_its_messages() -> None:
    """Retry-After is about the channel, not about one message."""
    limited = Outcome(delivered=False, retry=True, reason="http_429", retry_after=120.0)
    outbox, clock, channel = Outbox(), Clock(), Scripted([limited])
    outbox.put("a", "trigger", incident="inc-1")
    outbox.put("a", "trigger", incident="inc-2")
    carrier = courier(outbox, clock, a=channel)
    await carrier.deliver_due(clock())
    await carrier.deliver_due(clock.forward(119))
    assert channel.got == ["inc-1 trigger"]
    await carrier.deliver_due(clock.forward(2))
    await carrier.deliver_due(clock.forward(1))
    assert sorted(channel.got[1:]) == ["inc-1 trigger", "inc-2 trigger"]


async def test_a_failing_channel_is_asked_once_a_round() -> None:
    """Forty open incidents are not forty knocks on a closed door."""
    outbox, clock, channel = Outbox(), Clock(), Scripted([DOWN])
    for number in range(40):
        outbox.put("a", "trigger", incident=f"inc-{number}")
    carrier = courier(outbox, clock, a=channel)
    await carrier.deliver_due(clock())
    assert len(channel.got) == 1
    for _ in range(3):
        await carrier.deliver_due(clock.forward(LONGEST_DELAY_SECONDS))
    assert outbox.states("a") == ["delivered"] * 40
    assert len(channel.got) == 41


async def test_a_channel_that_is_away_is_asked_by_one_message_for_all() -> None:
    """Forty messages, six hours: fewer than two hundred knocks; then all forty in one round, oldest first."""
    outbox, clock, channel = Outbox(), Clock(), Scripted([DOWN] * 10_000)
    for number in range(40):
        outbox.put("a", "trigger", incident=f"inc-{number}")
    carrier = courier(outbox, clock, a=channel)
    for _ in range(6 * 720):
        await carrier.deliver_due(clock.forward(5))
    assert 50 < len(channel.got) < 250
    channel.answers.clear()
    channel.got.clear()
    await carrier.deliver_due(clock.forward(LONGEST_DELAY_SECONDS))
    await carrier.deliver_due(clock.forward(1))
    asked_by, others = channel.got[0], channel.got[1:]
    assert others == [f"inc-{n} trigger" for n in range(40) if f"inc-{n} trigger" != asked_by]
    assert outbox.states("a") == ["delivered"] * 40


async def test_a_message_that_a_service_never_answers_does_not_hold_up_the_others() -> None:
    """It waits longer each time; the channel hardly."""
    outbox, clock = Outbox(), Clock()
    channel = Picky(never="inc-0 trigger")
    outbox.put("a", "trigger", incident="inc-0")
    carrier = courier(outbox, clock, a=channel)
    for number in range(1, 100):
        outbox.put("a", "trigger", incident=f"inc-{number}")
        await carrier.deliver_due(clock.forward(3))
    assert outbox.states("a").count("delivered") >= 95


async def test_a_refused_message_is_kept_and_the_next_is_sent(caplog: pytest.LogCaptureFixture) -> None:
    """And the refusal is an error in the log."""
    refusal = Outcome(delivered=False, retry=False, reason="http_400")
    outbox, clock, channel = Outbox(), Clock(), Scripted([refusal])
    outbox.put("a", "trigger", "resolve")
    carrier = courier(outbox, clock, a=channel)
    await carrier.deliver_due(clock())
    await carrier.deliver_due(clock.forward(1))
    assert outbox.states("a") == ["refused", "delivered"]
    assert "key-1: http_400" in caplog.text


async def test_a_hanging_channel_does_not_delay_another() -> None:
    """The other delivers round after round while the first still hangs."""
    release = asyncio.Event()
    outbox, clock = Outbox(), Clock()
    hanging, quick = Scripted(before=release.wait), Scripted()
    outbox.put("hanging", "trigger", "resolve")
    outbox.put("quick", "trigger", "resolve")
    stop = asyncio.Event()
    carrier = courier(outbox, clock, hanging=hanging, quick=quick)
    running = asyncio.create_task(carrier.run(stop))
    await until(lambda: len(quick.got) == 2)
    assert hanging.got == []
    release.set()
    await until(lambda: len(hanging.got) == 2)
    stop.set()
    await running
    assert hanging.got == quick.got == ["inc-1 trigger", "inc-1 resolve"]


async def test_a_channel_that_hangs_too_long_is_left() -> None:
    """Its message is tried again later."""
    outbox, clock = Outbox(), Clock()
    outbox.put("a", "trigger")
    hanging = Scripted(before=asyncio.Event().wait)
    await courier(outbox, clock, send_seconds=0.05, a=hanging).deliver_due(clock())
    assert outbox.rows[0].reason == "timeout"
    assert outbox.states("a") == ["waiting"]


async def test_a_channel_that_raises_is_tried_again_and_keeps_its_secret(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log names the kind of error, not its text."""
    caplog.set_level(logging.DEBUG)
    outbox, clock = Outbox(), Clock()
    outbox.put("a", "trigger")
    broken = Scripted([RuntimeError("https://hooks.example.com/hush-hush")])
    await courier(outbox, clock, a=broken).deliver_due(clock())
    assert outbox.rows[0].reason == "error"
    assert "RuntimeError" in caplog.text
    assert "hush-hush" not in caplog.text


async def test_a_channel_that_is_configured_no_more_keeps_its_messages() -> None:
    """A deploy that forgets a channel must not lose the page."""
    outbox, clock = Outbox(), Clock()
    outbox.put("gone", "trigger")
    await courier(outbox, clock).deliver_due(clock())
    assert (outbox.states("gone"), outbox.rows[0].reason) == (["waiting"], "not_configured")


async def test_what_waits_for_a_removed_channel_is_dropped_after_a_day(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """That the channel is gone is said once, and what was dropped by name; the others go on."""
    outbox, clock = Outbox(), Clock()
    clock.now = int(ALERT.at.timestamp()) * SECOND
    outbox.put("gone", "trigger")
    outbox.put("gone", "trigger", incident="inc-2")
    there = Scripted()
    patient = courier(outbox, clock, a=there)
    for _ in range(23 * 12):
        clock.now += 300 * SECOND
        await patient.deliver_due(clock())
    assert outbox.states("gone") == ["waiting", "waiting"]
    assert len(caplog.records) == 1
    clock.now += 3_600 * SECOND
    await patient.deliver_due(clock())
    assert outbox.states("gone") == ["refused", "refused"]
    assert caplog.text.count("key-1 was dropped") == 2


async def test_an_outcome_that_cannot_be_stored_is_delivered_again(caplog: pytest.LogCaptureFixture) -> None:
    """At least once, never less."""
    outbox, clock = Outbox(), Clock()
    outbox.put("a", "trigger")

    async def disk_burns() -> None:
        outbox.failing = not channel.got

    channel = Scripted(before=disk_burns)
    carrier = courier(outbox, clock, a=channel)
    await carrier.deliver_due(clock())
    assert outbox.states("a") == ["waiting"]
    assert "could not be stored" in caplog.text
    outbox.failing = False
    await carrier.deliver_due(clock.forward(1))
    assert channel.got == ["inc-1 trigger"] * 2
    assert outbox.states("a") == ["delivered"]


async def test_a_store_that_fails_does_not_end_the_courier(caplog: pytest.LogCaptureFixture) -> None:
    """It is asked again."""
    outbox, clock, channel = Outbox(failing=True), Clock(), Scripted()
    outbox.put("a", "trigger")
    stop = asyncio.Event()
    running = asyncio.create_task(courier(outbox, clock, a=channel).run(stop))
    await until(lambda: "the outbox could not be read" in caplog.text)
    outbox.failing = False
    await until(lambda: outbox.states("a") == ["delivered"])
    stop.set()
    await running


async def test_a_new_courier_takes_over_where_the_old_one_stopped() -> None:
    """Attempts and times are in the outbox."""
    outbox, clock, channel = Outbox(), Clock(), Scripted([DOWN])
    outbox.put("a", "trigger", "resolve")
    await courier(outbox, clock, a=channel).deliver_due(clock())
    assert outbox.rows[0].delivery.attempts == 1
    successor = courier(outbox, clock, a=channel)
    for _ in range(2):
        await successor.deliver_due(clock.forward(10))
    assert channel.got == ["inc-1 trigger", "inc-1 trigger", "inc-1 resolve"]


async def until(happened: Callable[[], bool]) -> None:
    """Wait for it, at most ten seconds."""
    async with asyncio.timeout(10):
        while not happened():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.005)
