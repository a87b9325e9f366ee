"""The sequential detectors while the wall clock is wrong: nobody is blind until a date that it once showed."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from tests.scorer.watch.conftest import HOUR, Hour, Service

from ragvigil.exporters import Alert
from ragvigil.scorer.moments import DAY, MINUTE
from ragvigil.scorer.store import reading
from ragvigil.scorer.watch.port import Place

SHOP = Place("shop", "production")
DISASTER = Hour(unfaithful={"de": 0.6, "en": 0.6}, nothing_retrieved=0.5)


def notes(service: Service) -> dict[str, int]:
    """What is saved of the detector."""
    saved, _ = service.store.watching.detector(SHOP)
    found: dict[str, int] = json.loads(saved or "{}")
    return found


def pages(alerts: list[Alert]) -> list[tuple[str, str]]:
    """Who was woken."""
    return [(alert.series, alert.action) for alert in alerts if alert.severity != "warning"]


def oldest(service: Service) -> int:
    """When the oldest record began that is kept for the detectors."""
    with closing(reading.open_for_reading(service.settings.store.path)) as connection:
        return int(connection.execute("SELECT min(started_at) FROM sightings").fetchone()[0])


def wrong(service: Service, ahead: int, minutes: int) -> None:
    """The wall clock is ahead for so many looks, one a minute."""
    service.ahead = ahead
    for minute in range(minutes):
        service.tick(service.now + (2 + minute) * MINUTE)
    service.ahead = 0


@pytest.mark.parametrize("days", [-1, 1, 400])
def test_a_clock_that_is_wrong_for_some_looks_changes_nothing(service: Service, days: int) -> None:
    """The disaster after it is paged as it is where the clock was right all the time."""
    service.clocked()
    service.live(Hour(), 1)
    before, kept = notes(service), oldest(service)
    wrong(service, days * DAY, 5)
    assert notes(service) == before
    assert oldest(service) == kept
    assert pages(service.live(DISASTER, 4)) == [("retrieval", "trigger")]
    assert notes(service)["too_late"] == before["too_late"]


def test_the_control_is_paged_alike(service: Service) -> None:
    """With no clock that nobody sets, as in a replay, and a wall clock that is right."""
    service.live(Hour(), 1)
    assert pages(service.live(DISASTER, 4)) == [("retrieval", "trigger")]


def test_a_clock_that_was_put_right_is_followed_once_it_has_stood(service: Service) -> None:
    """A day too early for years, and set at last."""
    service.clocked()
    service.live(Hour(), 1)
    before = notes(service)["start"]
    service.now, service.moved = service.now + DAY, DAY
    service.tick(service.now)
    assert notes(service)["start"] == before
    service.live(Hour(), 12)
    assert notes(service)["start"] == before + DAY + 12 * HOUR
    assert notes(service)["too_late"] == 0
    assert pages(service.live(DISASTER, 4)) == [("retrieval", "trigger")]


def test_a_clock_that_was_ahead_for_hours_leaves_nobody_blind(service: Service) -> None:
    """The batches that it closed are behind it; the next is taken up where the records are."""
    service.clocked()
    service.live(Hour(), 1)
    kept = oldest(service)
    service.ahead = 13 * DAY
    service.live(Hour(), 6)
    assert notes(service)["start"] > service.now + 2 * DAY
    assert oldest(service) == kept, "what a wrong clock calls old stays"
    service.ahead = 0
    service.live(Hour(), 3)
    assert notes(service)["start"] == service.now
    assert pages(service.live(DISASTER, 5)) == [("retrieval", "trigger")]


def test_a_start_that_was_saved_ahead_is_pulled_back_after_a_restart(service: Service) -> None:
    """An older version, or a process that is gone, believed a clock that was 30 days ahead."""
    service.live(Hour(), 1)
    for look in range(4):
        service.watcher.tick(service.now + 30 * DAY + look * MINUTE)
    assert notes(service)["start"] > service.now + DAY
    service.clocked()
    service.tick(service.now + 2 * MINUTE)
    assert notes(service)["start"] > service.now + DAY, "this clock may be the wrong one: it must stand first"
    service.live(Hour(), 2)
    assert notes(service)["start"] == service.now
    assert notes(service)["began"] <= service.now
    assert pages(service.live(DISASTER, 6)) == [("retrieval", "trigger")]
