"""The state of a series at one look, and the course of an incident."""

from __future__ import annotations

import pytest

from ragvigil.scorer.config import Rule
from ragvigil.scorer.detect import evaluate, follow, nanoseconds, stretches, untouched, without
from ragvigil.scorer.monitoring import Bucket, Sums

MINUTE = 60_000_000_000
RULE = Rule(window_seconds=600, baseline_seconds=6_000, warmup_seconds=6_000, resolve_seconds=300)
NOW = 1_000 * MINUTE
OLD = nanoseconds(7_000)
HEALTHY = Sums(1_000, 1_000.0, 950.0, 1_000.0, 950.0, 950.0)


def minutes(rates: list[float], *, n: int = 20, until: int = NOW) -> list[Bucket]:
    """Buckets of a minute that end at `until`, with exactly those rates."""
    return [
        Bucket(
            until - (len(rates) - place) * MINUTE, Sums(n, float(n), n * rate, float(n), n * rate, n * rate)
        )
        for place, rate in enumerate(rates)
    ]


def test_a_healthy_series_is_ok_and_shows_both_rates() -> None:
    """With intervals and n."""
    found = evaluate(minutes([0.95] * 10), HEALTHY, RULE, now=NOW, history=OLD)
    assert found.state == "ok"
    assert found.before is not None
    assert found.now is not None
    assert (found.before.n_judged, found.now.n_judged) == (1_000, 200)


def test_a_fall_is_told_from_the_minute_it_began() -> None:
    """The window is half full of good answers; the page says what is true since then."""
    found = evaluate(minutes([0.95] * 5 + [0.3] * 5), HEALTHY, RULE, now=NOW, history=OLD)
    assert found.state == "alert"
    assert found.since == NOW - 5 * MINUTE
    assert found.now is not None
    assert found.before is not None
    assert found.now.value == pytest.approx(0.3)
    assert found.before.value == pytest.approx(0.95, abs=0.01)


def test_an_empty_window_is_no_data_and_never_zero() -> None:
    """Also when the hours before were full of failures."""
    old_failures = minutes([0.0] * 10, until=NOW - 11 * MINUTE)
    for recent in ([], old_failures):
        found = evaluate(recent, HEALTHY, RULE, now=NOW, history=OLD)
        assert found.state == "no_data"
        assert found.now is None


def test_a_young_series_is_cold_however_bad_it_looks() -> None:
    """Warm-up comes before every comparison."""
    found = evaluate(minutes([0.0] * 10), HEALTHY, RULE, now=NOW, history=OLD - nanoseconds(2_000))
    assert found.state == "cold_start"


def test_too_few_observations_are_said_to_be_too_few() -> None:
    """In the window, and in the baseline."""
    found = evaluate(minutes([0.0] * 10, n=2), HEALTHY, RULE, now=NOW, history=OLD)
    assert found.state == "insufficient_sample"
    found = evaluate(minutes([0.0] * 10), Sums(), RULE, now=NOW, history=OLD)
    assert found.state == "insufficient_sample"


def test_stretches_double_up_to_a_quarter_of_the_baseline() -> None:
    """A short baseline, as in a demonstration, leaves only the window as configured."""
    assert [length / MINUTE for length in stretches(RULE)] == [10, 20]
    assert stretches(Rule(window_seconds=10, baseline_seconds=20)) == (nanoseconds(10),)


def test_the_baseline_reaches_back_over_incidents_but_not_for_ever() -> None:
    """Overlapping spans count once; twice the length is the limit."""
    assert untouched(1_000, 100, []) == 900
    assert untouched(1_000, 100, [(940, 960), (950, 970), (2_000, None)]) == 870
    assert untouched(1_000, 100, [(0, 990)]) == 800
    assert untouched(1_000, 100, [(950, None)]) == 850


def test_buckets_within_incidents_are_left_out() -> None:
    """An incident's buckets begin at its `since` and end before its resolution."""
    buckets = minutes([1.0] * 6, until=6 * MINUTE)
    kept = without(buckets, [(MINUTE, 3 * MINUTE), (5 * MINUTE, None)])
    assert [bucket.start // MINUTE for bucket in kept] == [0, 3, 4]


def test_a_recovery_is_over_after_it_lasted() -> None:
    """Four good minutes are a beginning, five an end, whatever the bad half hour before weighs."""
    for good, over in ((4, False), (5, True)):
        course = follow(HEALTHY, minutes([0.3] * 30 + [0.95] * good), RULE, bucket_seconds=60)
        assert course.recovering_since == NOW - good * MINUTE
        assert course.over is over


def test_half_a_recovery_is_none() -> None:
    """From 30 to 85 % is better, and still ten points down."""
    course = follow(HEALTHY, minutes([0.3] * 30 + [0.85] * 60), RULE, bucket_seconds=60)
    assert course.recovering_since is None
    assert course.now is not None
    assert course.now.value == pytest.approx(0.85)


def test_silence_is_not_recovery() -> None:
    """Two good minutes with enough answers, and then nothing: event time stands still."""
    during = minutes([0.3] * 30 + [0.95] * 2, n=40, until=NOW - 60 * MINUTE)
    course = follow(HEALTHY, during, RULE, bucket_seconds=60)
    assert course.recovering_since is not None
    assert not course.over
    assert follow(HEALTHY, [], RULE, bucket_seconds=60).now is None


def test_without_a_baseline_nothing_is_called_recovered() -> None:
    """The rollups of before the incident may be gone."""
    course = follow(Sums(), minutes([0.95] * 30), RULE, bucket_seconds=60)
    assert course.recovering_since is None
