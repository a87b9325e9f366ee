"""Services and environments come and go, preview environments by the hundred: what lives is watched."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.watch.conftest import HOUR, START, Hour, Service, settings_in

from ragvigil.exporters import Measurement
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store.port import ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.port import Place

PRODUCTION = Place("shop", "production")
QUIET = Hour(questions=20)
RATE = Measurement(0.5, 0.4, 0.6, 50)


def previewed(service: Service, environment: str) -> ScoredTrace:
    """One question that somebody asked there."""
    trace = service.trace(QUIET, 1)
    (one,) = trace.records
    record = replace(one.record, environment=environment)
    return replace(trace, records=(replace(one, record=record),), service="shop", environment=environment)


def busy(folder: Path, store: SqliteStore, hours: int, *, most_places: int = 2) -> Service:
    """Hours of production, and of four environments that stand before it in the alphabet."""
    service = Service(settings_in(folder, most_places=most_places), store)
    for _ in range(hours):
        previews = [previewed(service, f"pr-{number}") for number in range(4)]
        store.records.commit(previews, None, service.now + HOUR)
        service.live(QUIET)
    return service


def watched(store: SqliteStore) -> set[str | None]:
    """The environments whose detector has decided on anything."""
    return {place.environment for place in store.watching.places() if store.watching.detector(place)[0]}


def test_previews_do_not_take_the_place_of_production(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The first in the alphabet were watched for ever: after as many previews nobody watched production."""
    with SqliteStore(settings_in(tmp_path), durable=False) as store:
        busy(tmp_path, store, 3)
        assert len(store.watching.places()) == 5
        assert watched(store) == {"production", "pr-0"}
    told = [one for one in caplog.messages if "2 of 5 services and environments" in one]
    assert len(told) == 3  # once a batch


def test_a_place_in_an_incident_stays_watched(tmp_path: Path) -> None:
    """Nobody else would resolve it."""
    with SqliteStore(settings_in(tmp_path), durable=False) as store:
        key = SeriesKey("faithfulness", "shop", "pr-3")
        incident = Incident("i", key, "k", START, START, RATE, RATE, RATE, detector="sequential")
        store.monitoring.save_incident(incident, None, ())
        busy(tmp_path, store, 3)
        assert watched(store) == {"production", "pr-3"}


def test_a_place_that_is_watched_later_begins_with_what_is_kept_of_it(tmp_path: Path) -> None:
    """What it sent meanwhile waits."""
    with SqliteStore(settings_in(tmp_path), durable=False) as store:
        busy(tmp_path, store, 3)
        assert store.watching.first_waiting(Place("shop", "pr-1")) is not None
        busy(tmp_path, store, 0, most_places=9).tick(START + 4 * HOUR)
        notes, _ = store.watching.detector(Place("shop", "pr-1"))
        assert notes is not None
        assert json.loads(notes)["began"] == START


def test_what_nobody_watches_is_let_go_of_in_time(tmp_path: Path) -> None:
    """Its rows would stay for ever, and so would the place."""
    with SqliteStore(settings_in(tmp_path, keep_days=1, late_seconds=3600), durable=False) as store:
        settings = settings_in(tmp_path, keep_days=1, late_seconds=3600, most_places=1)
        service = Service(settings, store)
        store.records.commit([previewed(service, f"pr-{number}") for number in range(4)], None, START + HOUR)
        service.live(QUIET, 27)
        assert store.watching.places() == [PRODUCTION]


def test_an_environment_that_is_gone_costs_no_evaluation(tmp_path: Path) -> None:
    """A year of previews would be looked at every ten seconds."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings, durable=False) as store:
        service = Service(settings, store)
        store.records.commit([previewed(service, "pr-0")], None, START + HOUR)
        monitor = Monitor(store.monitoring, settings.monitor, [], settings.links)
        since = START + 30 * 24 * HOUR
        assert {key.environment for key in store.monitoring.series(since)} == {"pr-0"}  # it said cold_start
        monitor.tick(since)
        assert store.monitoring.series(since) == []
        assert [key.environment for key in store.monitoring.series(START)] == ["pr-0"]
        again = previewed(service, "pr-0")
        store.records.commit([again], None, since + 8 * 24 * HOUR)  # of long ago, by its own clock
        assert [key.name for key in store.monitoring.series(since + 24 * HOUR)] == ["citation"]
