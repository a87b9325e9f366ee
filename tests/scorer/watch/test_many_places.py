"""Services and environments come and go, preview environments by the hundred: what lives is watched."""

from __future__ import annotations

import gc
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.watch.conftest import HOUR, START, Hour, Service, settings_in

from ragvigil.exporters import Measurement
from ragvigil.scorer.detect import Monitor as Core
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store.port import ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.port import Place

PRODUCTION = Place("shop", "production")
QUIET, NOTHING = Hour(questions=20), Hour(questions=0)
RATE = Measurement(0.5, 0.4, 0.6, 50)


def previewed(service: Service, environment: str, *, name: str = "shop") -> ScoredTrace:
    """One question that somebody asked there."""
    trace = service.trace(QUIET, 1)
    (one,) = trace.records
    record = replace(one.record, service=name, environment=environment)
    return replace(trace, records=(replace(one, record=record),), service=name, environment=environment)


def held() -> int:
    """How many detectors are in memory."""
    gc.collect()
    return sum(isinstance(one, Core) for one in gc.get_objects())


def fails(place: Place, before: int) -> None:
    """A store that cannot."""
    raise OSError(f"no room to forget {place} before {before}")


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


def asking(
    folder: Path, store: SqliteStore, hours: int, counts: dict[Place, int], most_places: int
) -> Service:
    """Hours of so many questions each."""
    service = Service(settings_in(folder, most_places=most_places), store)
    for _ in range(hours):
        traces = [
            previewed(service, place.environment or "", name=place.service)
            for place, count in counts.items()
            for _ in range(count)
        ]
        store.records.commit(traces, None, service.now + HOUR)
        service.live(NOTHING)
    return service


def test_a_busy_preview_does_not_take_the_place_of_quiet_production(tmp_path: Path) -> None:
    """A load test in a preview is no reason to watch nobody's customers."""
    with SqliteStore(settings_in(tmp_path), durable=False) as store:
        asking(tmp_path, store, 2, {PRODUCTION: 1, Place("shop", "pr-0"): 9}, 1)
        assert watched(store) == {"production"}


def test_of_two_that_page_the_one_that_answers_most_is_watched(tmp_path: Path) -> None:
    """They were counted to 1,000 a day: beyond that the first in the alphabet was watched."""
    small, large = Place("a-small", "production"), Place("z-checkout", "production")
    with SqliteStore(settings_in(tmp_path), durable=False) as store:
        asking(tmp_path, store, 1, {small: 1_001, large: 1_002}, 1)
        assert store.watching.detector(large)[0]
        assert not store.watching.detector(small)[0]


def test_an_untold_incident_does_not_take_the_place_of_production(tmp_path: Path) -> None:
    """Two previews that fell, of which nobody is told, left production without a detector."""
    with SqliteStore(settings_in(tmp_path), durable=False) as store:
        for number in range(2):
            key = SeriesKey("faithfulness", "shop", f"pr-{number}")
            incident = Incident(f"i{number}", key, "k", START, START, RATE, RATE, RATE, detector="sequential")
            store.monitoring.save_incident(incident, None, ())
        busy(tmp_path, store, 2)
        assert watched(store) == {"production", "pr-0"}


def test_one_that_is_watched_stays_until_another_answers_twice_as_much(tmp_path: Path) -> None:
    """Of two that take turns each would lose the canary that is being judged for it, and its place with it."""
    first, second = Place("a", "production"), Place("b", "production")
    with SqliteStore(settings_in(tmp_path), durable=False) as store:
        service = asking(tmp_path, store, 1, {first: 3, second: 2}, 1)
        for more, found in ((3, False), (2, True)):  # of 5, then of 7, to its 3
            store.records.commit(
                [previewed(service, "production", name="b") for _ in range(more)], None, service.now
            )
            service.live(NOTHING)
            assert bool(store.watching.detector(second)[0]) is found


def test_one_that_gives_its_place_away_costs_no_memory(tmp_path: Path) -> None:
    """Its state is in the store."""
    before = held()
    with SqliteStore(settings_in(tmp_path), durable=False) as store:
        service = asking(tmp_path, store, 1, {Place("shop", "pr-0"): 1}, 1)
        assert held() == before + 1
        service.live(QUIET, 2)
        assert watched(store) == {"pr-0", "production"}
        assert held() == before + 1


def test_one_of_which_nothing_is_kept_any_more_costs_no_memory(tmp_path: Path) -> None:
    """Of thirty previews that lived 180 were held."""
    settings = settings_in(tmp_path, keep_days=1, late_seconds=3600)
    before = held()
    with SqliteStore(settings, durable=False) as store:
        service = Service(settings, store)
        store.records.commit([previewed(service, f"pr-{number}") for number in range(4)], None, START + HOUR)
        service.live(QUIET)
        assert held() == before + 5
        service.live(QUIET, 26)
        assert store.watching.places() == [PRODUCTION]
        assert held() == before + 1


def test_a_detector_that_fails_goes_on_from_what_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it held counted the batch, and would have counted it twice."""
    with SqliteStore(settings_in(tmp_path), durable=False) as store:
        Service(settings_in(tmp_path), store).live(QUIET, 2)
        undisturbed = store.watching.detector(PRODUCTION)
    folder = tmp_path / "failing"
    folder.mkdir()
    with SqliteStore(settings_in(folder), durable=False) as store:
        service = Service(settings_in(folder), store)
        service.live(QUIET)
        with monkeypatch.context() as failing:
            failing.setattr(store.watching, "forget_sightings", fails)
            service.live(QUIET)
        assert store.watching.detector(PRODUCTION) != undisturbed
        service.tick(service.now + 180 * 10**9)
        found = store.watching.detector(PRODUCTION)
        assert found == undisturbed


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
