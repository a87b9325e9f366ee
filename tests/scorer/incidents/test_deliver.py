"""The courier: at least once, in order, each channel on its own, for ever."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.scorer.incidents.scripted_channels import (
    ALERT,
    DELIVERED,
    DOWN,
    SECOND,
    Clock,
    Outbox,
    Picky,
    Scripted,
    courier,
)

from ragvigil.exporters import Outcome
from ragvigil.scorer.incidents.deliver import LONGEST_DELAY_SECONDS


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


async def test_a_page_does_not_wait_for_a_clock_that_was_set_back() -> None:
    """By an hour: what waited, and what was put in before, would have waited as long again."""
    outbox, clock, channel = Outbox(), Clock(), Scripted([DOWN])
    outbox.put("a", "trigger")
    carrier = courier(outbox, clock, a=channel)
    await carrier.deliver_due(clock.forward(10_000))
    await carrier.deliver_due(clock.forward(-3_600))
    assert outbox.states("a") == ["delivered"]
    assert channel.got == ["inc-1 trigger"] * 2


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
