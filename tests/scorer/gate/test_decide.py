"""When a limit holds, when it does not, and when nobody can know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil.scorer.estimate import observations_for, wilson
from ragvigil.scorer.estimate.figure import mean, quantile, quantile_needs
from ragvigil.scorer.estimate.paired import paired_difference
from ragvigil.scorer.gate.decide import decide, needs
from ragvigil.scorer.gate.settings import Limit


def state(values: Sequence[float], limit: Limit) -> tuple[str, str]:
    """Of a share of independent answers."""
    found = decide(mean("x", np.array(values), np.arange(len(values))), limit, "share")
    return found.state, found.said


def test_the_end_of_the_interval_decides_and_not_the_value() -> None:
    """95 % right of 100 answers is no proof of 95 %, nor of 90 %."""
    answers = [1.0] * 95 + [0.0] * 5
    assert state(answers, Limit(at_least=0.85))[0] == "holds"
    assert state(answers, Limit(at_least=0.90)) == (
        "not_shown",
        "the value keeps the limit, its interval does not: about 139 answers like these would show it",
    )
    assert state(answers, Limit(at_least=0.96))[0] == "not_shown"
    assert state(answers, Limit(at_least=0.99)) == ("fails", "the whole interval is beyond the limit")


def test_two_percent_false_claims_need_189_items_without_any() -> None:
    """188 right ones are not enough data, and say what is; one false claim among 189 is too many."""
    limit = Limit(at_most=0.02)
    assert state([0.0] * 188, limit) == (
        "not_enough_data",
        "188 answers, at least 189 are needed, all of them right",
    )
    assert state([0.0] * 189, limit)[0] == "holds"
    assert state([1.0] + [0.0] * 188, limit)[0] == "not_shown"
    assert state([1.0] * 20 + [0.0] * 180, limit)[0] == "fails"


def test_nothing_measured_is_no_pass() -> None:
    """Not even of a limit that is easily kept."""
    assert state([], Limit(at_least=0.01)) == ("not_enough_data", "0 answers, at least 20 are needed")
    assert state([1.0] * 19, Limit(at_least=0.01))[0] == "not_enough_data"


def test_a_quantile_whose_upper_end_lies_beyond_all_that_was_seen_is_not_enough_data() -> None:
    """With 100 answers nobody knows how slow the slowest twentieth is."""
    limit = Limit(at_most=2.0)
    few, many = (np.full(n, 0.5) for n in (quantile_needs(0.95) - 1, quantile_needs(0.95)))
    assert decide(quantile("s", few, 0.95, unit="seconds"), limit, "quantile").state == "not_enough_data"
    assert decide(quantile("s", many, 0.95, unit="seconds"), limit, "quantile").state == "holds"


@given(st.floats(0.5, 0.99), st.floats(0.01, 0.98))
@settings(deadline=None)
def test_so_many_observations_are_needed_and_no_fewer(value: float, limit: float) -> None:
    """The number is where Wilson's interval passes the limit."""
    needed = observations_for(value, limit, confidence=0.95)
    if needed is None or abs(value - limit) < 0.01:
        return
    side = 0 if value > limit else 1
    sign = 1.0 if side == 0 else -1.0
    assert sign * (wilson(value, needed, confidence=0.95)[side] - limit) >= -1e-9
    if needed > 1:
        assert sign * (wilson(value, needed - 1, confidence=0.95)[side] - limit) < 1e-9


def test_a_limit_says_how_many_answers_it_needs() -> None:
    """Of a share by the best that can happen."""
    assert [needs(Limit(at_least=bound), "share") for bound in (0.5, 0.85, 0.95, 0.99)] == [20, 22, 73, 381]


@pytest.mark.parametrize(
    ("size", "lost", "gained"), [(50, 0.05, 0), (200, 0.05, 0), (50, 0.05, 0.05), (100, 0.3, 0.2)]
)
def test_paired_intervals_hold_the_truth(size: int, lost: float, gained: float) -> None:
    """Over 1,000 draws, also where few pairs differ and all one way: a gate looks at just such."""
    random = np.random.default_rng(size)
    held = 0
    for _ in range(1_000):
        kinds = random.choice(3, size, p=[lost, gained, 1 - lost - gained])
        before, now = np.array([1.0, 0.0, 1.0])[kinds], np.array([0.0, 1.0, 1.0])[kinds]
        found = paired_difference(before, now, np.arange(size))
        held += found.lower <= gained - lost <= found.upper
    assert held >= 935


def test_conversations_make_paired_intervals_wider() -> None:
    """Answers of one conversation go wrong together."""
    before, now = np.ones(40), np.repeat([1.0, 0.0], 20)
    alone, together = (
        paired_difference(before, now, groups) for groups in (np.arange(40), np.repeat(np.arange(8), 5))
    )
    assert together.upper - together.lower > alone.upper - alone.lower
    with pytest.raises(ValueError, match="19 pairs, at least 20"):
        paired_difference(before[:19], now[:19], np.arange(19))
