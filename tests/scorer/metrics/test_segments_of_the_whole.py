"""Levels of segments are of the answers that the level of the whole is of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.scorer.metrics.filled import (
    NOW,
    SECOND,
    VERDICT,
    collected,
    evaluated,
    fill,
    record,
    settings_in,
    vitals,
)

from ragvigil.exporters import Measurement
from ragvigil.scorer.metrics.collect import Collector
from ragvigil.scorer.metrics.measures import Measures
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import Measured


def _observations(told: Measures, series: str = "citation") -> dict[str, float]:
    return {
        labels[3]: number
        for (name, labels), number in told.samples.items()
        if name == "ragvigil_series_observations" and labels[0] == series
    }


def test_segments_and_the_rest_of_a_measure_are_of_the_same_window_as_the_whole(tmp_path: Path) -> None:
    """Half an hour ago is in the window of monitor.measures, and not in that of citations."""
    settings = settings_in(tmp_path, metrics={"segment_by": ["language"], "most_services": 1})
    tone = Measured("criteria.tone", "openai m", "1", "e" * 64, 1.0)
    old = [
        replace(record(number, service, language="de"), started_at=NOW - 1800 * 10**9)
        for service, first in (("docs", 0), ("shop", 1000))
        for number in range(first, first + 200)
    ]
    with SqliteStore(settings) as store:
        fill(store, old, replace(VERDICT, measured=(tone,)))
        evaluated(store, settings)
        told = collected(settings)
    found = {
        (labels[1], labels[3]): n
        for (name, labels), n in told.samples.items()
        if name == "ragvigil_series_observations" and labels[0] == "criteria.tone"
    }
    assert found == {("docs", ""): 200, ("docs", "language=de"): 200, ("other", ""): 200}


def test_segments_and_the_whole_are_of_the_same_answers_in_an_incident(tmp_path: Path) -> None:
    """The whole was told since the fall, segments over the window: a segment that was the whole differed from it."""
    settings = settings_in(tmp_path, metrics={"segment_by": ["language"]})
    old = [replace(record(n, language="en"), started_at=NOW - 18_000 * 10**9) for n in range(200, 400)]
    since = [replace(record(n, language="en"), started_at=NOW - 120 * 10**9) for n in range(1, 61)]
    before = [replace(record(n, language="en"), started_at=NOW - 400 * 10**9) for n in range(100, 160)]
    low, high = Measurement(0.75, 0.6, 0.8, 60), Measurement(0.99, 0.98, 1.0, 200)
    with SqliteStore(settings) as store:
        fill(store, [*old, *before, *since])
        key = SeriesKey("citation", "docs", "production")
        fall = Incident("inc-1", key, "k", NOW, NOW - 180 * 10**9, high, low, low)
        store.monitoring.save_incident(fall, None, ())
        evaluated(store, settings)
        told = collected(settings)
    found = {
        labels[3]: n
        for (name, labels), n in told.samples.items()
        if name == "ragvigil_series_observations" and labels[0] == "citation"
    }
    assert found == {"": 60, "language=en": 60}


def test_answers_between_a_look_and_a_snapshot_make_no_segment_larger_than_the_whole(tmp_path: Path) -> None:
    """The whole was told as of the look, segments as of the snapshot: of 100 answers 160 were German."""
    settings = settings_in(tmp_path, metrics={"segment_by": ["language"]})
    with SqliteStore(settings) as store:
        fill(store, [record(number, language="de" if number % 4 else "en") for number in range(1, 101)])
        evaluated(store, settings)
        fill(store, [record(number, language="de") for number in range(101, 201)])
        told = Collector(settings, vitals, now=lambda: NOW + 30 * SECOND).collect()
    found = _observations(told)
    assert found == {"": 200, "language=de": 175, "language=en": 25}
    assert _observations(told, "faithfulness") == found


def test_segments_are_of_the_longer_window_that_a_quiet_series_is_shown_of(tmp_path: Path) -> None:
    """Too few answers in the shortest window: the level is of a longer one, and segments were of the shortest."""
    settings = settings_in(tmp_path, metrics={"segment_by": ["language"]})
    week = [
        replace(record(number, language="de"), started_at=NOW - (2 * 3600 + number * 60) * SECOND)
        for number in range(1, 701)
    ]
    with SqliteStore(settings) as store:
        fill(store, [*week, *(record(number, language="en") for number in range(1001, 1011))])
        evaluated(store, settings)
        told = collected(settings)
    assert _observations(told) == {"": 50, "language=de": 40}


def test_segments_leave_out_an_incident_in_the_window_as_the_whole_does(tmp_path: Path) -> None:
    """What an incident that is over counted is in neither."""
    settings = settings_in(tmp_path, metrics={"segment_by": ["language"]})
    old = [replace(record(n, language="en"), started_at=NOW - 18_000 * SECOND) for n in range(200, 400)]
    ill = [replace(record(n, language="de"), started_at=NOW - 500 * SECOND) for n in range(400, 500)]
    well = [replace(record(n, language="en"), started_at=NOW - 60 * SECOND) for n in range(1, 101)]
    low, high = Measurement(0.75, 0.6, 0.8, 60), Measurement(0.99, 0.98, 1.0, 200)
    with SqliteStore(settings) as store:
        fill(store, [*old, *ill, *well])
        key = SeriesKey("citation", "docs", "production")
        since, over = NOW - 600 * SECOND, NOW - 400 * SECOND
        fall = Incident("inc-1", key, "k", since, since, high, low, low, resolved_at=over)
        store.monitoring.save_incident(fall, None, ())
        evaluated(store, settings)
        told = collected(settings)
    assert _observations(told) == {"": 100, "language=en": 100}


def test_a_series_that_fell_silent_has_no_segments_either(tmp_path: Path) -> None:
    """In an incident without an answer in its window nothing is told of the whole, and segments were since the fall."""
    settings = settings_in(tmp_path, metrics={"segment_by": ["language"]})
    old = [replace(record(n, language="en"), started_at=NOW - 18_000 * SECOND) for n in range(200, 400)]
    ill = [replace(record(n, language="de"), started_at=NOW - 3000 * SECOND) for n in range(400, 500)]
    low, high = Measurement(0.75, 0.6, 0.8, 60), Measurement(0.99, 0.98, 1.0, 200)
    with SqliteStore(settings) as store:
        fill(store, [*old, *ill])
        key = SeriesKey("citation", "docs", "production")
        since = NOW - 3600 * SECOND
        store.monitoring.save_incident(Incident("inc-1", key, "k", since, since, high, low, low), None, ())
        evaluated(store, settings)
        told = collected(settings)
    assert _observations(told) == {}
