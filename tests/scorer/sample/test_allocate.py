"""How the budget is shared among segments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.sample import allocate

TRAFFIC = st.lists(st.floats(0.5, 1e6), min_size=1, max_size=40)


@given(TRAFFIC, st.floats(0.01, 1.0))
def test_the_budget_is_spent_and_not_more(traffic: list[float], budget: float) -> None:
    """Whatever segments there are, capped or at the floor."""
    probabilities = allocate(traffic, budget=budget)
    spent = float(np.dot(traffic, probabilities) / np.sum(traffic))
    assert spent == pytest.approx(budget, rel=1e-6)
    assert np.all((probabilities >= 0.01 - 1e-12) & (probabilities <= 1.0))


def test_small_segments_are_judged_more_often() -> None:
    """Four times the traffic, twice the sample, half the probability."""
    small, large = allocate([1_000, 4_000], budget=0.1)
    assert small == pytest.approx(2 * large)


def test_no_record_is_out_of_reach() -> None:
    """One per cent at least, and a segment that is first seen is judged like the smallest."""
    probabilities = allocate([1_000_000, 10, 0], budget=0.011)
    assert probabilities[0] >= 0.01
    assert probabilities[2] == probabilities[1] == 1.0


def test_a_budget_under_the_floor_is_kept() -> None:
    """The budget is what is paid for."""
    assert allocate([9_000, 1_000], budget=0.002).tolist() == [0.002, 0.002]
    assert allocate([0, 0], budget=0.2).tolist() == [0.2, 0.2]
    assert allocate([], budget=0.2).tolist() == []


@pytest.mark.parametrize("traffic", [[-1.0], [float("nan")], [[1.0]]])
def test_what_is_no_traffic_is_an_error(traffic: list[float]) -> None:
    """Said at once, in words."""
    with pytest.raises(ValueError, match="finite"):
        allocate(traffic, budget=0.1)


def test_a_budget_above_one_is_an_error() -> None:
    """A share is a share."""
    with pytest.raises(ValueError, match="budget"):
        allocate([1.0], budget=1.2)
