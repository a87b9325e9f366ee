"""Since when."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect import current_level, split
from ragvigil.scorer.monitoring import Bucket, Sums


def series(rates: list[float], *, n: int, seed: int, weight: float = 10.0) -> list[Bucket]:
    """One bucket a minute with `n` weighted observations each."""
    random = np.random.default_rng(seed)
    buckets: list[Bucket] = []
    for minute, truth in enumerate(rates):
        sums = Sums()
        for passed in random.random(n) < truth:
            sums += Sums.of(float(passed), weight)
        buckets.append(Bucket(minute * 60_000_000_000, sums))
    return buckets


def test_the_split_finds_the_minute_of_the_fall() -> None:
    """Within five buckets of the truth in each of twenty runs."""
    for seed in range(20):
        buckets = series([0.95] * 60 + [0.6] * 20, n=10, seed=seed)
        found = split(buckets, falling=True)
        assert found is not None
        assert abs(found.index - 60) <= 5


def test_a_rise_is_not_a_fall() -> None:
    """With `falling` the later rate is the lower one, wherever the best split would be."""
    buckets = series([0.5] * 30 + [0.95] * 30, n=20, seed=1)
    rising, falling = split(buckets), split(buckets, falling=True)
    assert rising is not None
    assert abs(rising.index - 30) <= 2
    assert falling is None or falling.gain < rising.gain / 4


def test_a_baseline_in_front_lets_the_fall_begin_with_the_first_bucket() -> None:
    """When all recent buckets are bad, all of them belong to the fall."""
    buckets = series([0.5] * 10, n=20, seed=2)
    healthy = Sums(5_000, 50_000.0, 47_500.0, 500_000.0, 475_000.0, 475_000.0)
    found = split(buckets, before=healthy, falling=True)
    assert found is not None
    assert found.index == 0


def test_the_current_level_forgets_the_fault_after_the_recovery() -> None:
    """Bad, worse, good: the level is that of the good end alone."""
    buckets = series([0.8] * 40 + [0.5] * 40 + [0.95] * 40, n=10, seed=4)
    level = current_level(buckets, least=50)
    assert level is not None
    assert abs(level.since // 60_000_000_000 - 80) <= 3
    assert level.sums.wx / level.sums.w > 0.9


def test_a_lucky_run_is_not_a_change() -> None:
    """A constant rate keeps one level, in forty runs of 240 buckets."""
    changes = 0
    for seed in range(40):
        level = current_level(series([0.8] * 240, n=5, seed=seed), least=50)
        assert level is not None
        changes += level.since != 0
    assert changes <= 1


def test_nothing_has_no_split() -> None:
    """No buckets, one bucket, and buckets without weight."""
    assert current_level([], least=50) is None
    assert split([]) is None
    assert split([Bucket(0, Sums.of(1.0))]) is None
    assert split([Bucket(0, Sums()), Bucket(1, Sums())]) is None


def test_the_later_part_keeps_the_observations_it_must() -> None:
    """A change in the last few observations waits until there are enough."""
    buckets = series([0.95] * 30 + [0.0] * 3, n=10, seed=6)
    found = split(buckets, least=100)
    assert found is not None
    assert found.index <= 23
