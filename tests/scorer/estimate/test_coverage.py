"""Every printed 95 % interval holds the truth as often as it says (all cells: tests/bench/bench_coverage.py)."""

from __future__ import annotations

import math

import pytest
from tests.scorer.estimate.coverage import ESTIMATORS, cover
from tests.scorer.estimate.worlds import World

REPS = 60


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
@pytest.mark.parametrize(
    "world",
    [
        World(clustered=True),
        World(faithful=0.88, sensitivity=0.75, specificity=0.85, separation=0.5),
    ],
    ids=["default", "shifted"],
)
def test_the_interval_covers(estimator: str, world: World) -> None:
    """Within four standard errors of .95 below, at fixed seeds; and the estimate is not off by a third of its width."""
    (found,) = cover([estimator], world, [world.faithful], judged=200, reps=REPS, seed=1).values()
    assert found.coverage >= 0.95 - 4.0 * math.sqrt(0.95 * 0.05 / REPS)
    assert 0.0 < found.width < 0.6
    assert abs(found.bias) < found.width / 3.0


def test_the_daily_change_is_narrow() -> None:
    """20,000 a day, a tenth judged: .049 at most."""
    found = cover(["change of the level"], World(), [0.95], judged=2_000, reps=15, seed=2)
    assert found["change of the level", 0.95].width <= 0.049
