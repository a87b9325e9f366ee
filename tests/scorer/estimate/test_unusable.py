"""What no estimate can be made of is refused by name, and how narrow the usual ones are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.scorer.estimate.coverage import audit, shown
from tests.scorer.estimate.test_traps import AUDITED, FEW, GOLD, refused, verdicts
from tests.scorer.estimate.worlds import World, stretch

from ragvigil.scorer.estimate import (
    Calibration,
    Refusal,
    anchored_level,
    audited_level,
    betting_sequence,
    change_since,
    closed_form,
    cohen_kappa,
    confusion,
    efficiency,
    judged_rate,
    mix_change,
    next_labels,
    portable_level,
    promotion,
    replay,
    strata_of,
    window,
)


def test_fewer_than_twenty_are_refused_everywhere() -> None:
    """And a refusal passes through whatever is computed from it."""
    few = judged_rate(window(verdict=[1] * 19))
    assert refused(few).n_judged == 19
    assert refused(portable_level(few, GOLD)) == few
    assert refused(change_since(few, verdicts(90, 100), GOLD)) == few
    assert refused(anchored_level(few, few)) == few
    data = window(verdict=[1] * 100)
    assert refused(audited_level(data, strata_of(data), [1] * 19 + [-1] * 81)).reason == "not_enough_data"
    assert refused(mix_change(window(verdict=[]), data)).reason == "not_enough_data"
    assert refused(judged_rate(window(verdict=[]))).n_judged == 0


@pytest.mark.parametrize("passed", [1_500, 1_620, 1_700])
@pytest.mark.parametrize("gold", [GOLD, Calibration(133, 7, 57, 3)])
def test_monte_carlo_and_closed_form_agree_within_two_points(passed: int, gold: Calibration) -> None:
    """Two derivations of one interval."""
    p = verdicts(passed, 2_000)
    level, limits = shown(portable_level(p, gold)), closed_form(p, gold)
    assert (level.lower, level.upper) == pytest.approx(limits, abs=0.02)


def test_two_hundred_labels_in_two_waves_are_narrow() -> None:
    """At 95 % and 2,000 judged: .028 wide, where 200 random labels give .061 and a gold set .11."""
    random = np.random.default_rng(2)
    found = [audit(stretch(World(), random, 2_000), random) for _ in range(40)]
    assert float(np.mean([one.upper - one.lower for one in found])) < 0.028
    assert sum(one.lower <= 0.95 <= one.upper for one in found) >= 35


def test_ten_per_cent_with_a_cheap_score_is_worth_eleven() -> None:
    """And nobody may claim fifteen."""
    random = np.random.default_rng(4)
    shares: list[float] = []
    for _ in range(20):
        found = efficiency(stretch(World(), random, 2_000).window)
        assert not isinstance(found, Refusal)
        shares.append(found.plain_share)
    assert 0.105 < float(np.mean(shares)) < 0.15


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"verdict": [2]}, "verdict"),
        ({"verdict": [0.5]}, "verdict must hold whole numbers, not 0.5"),
        ({"verdict": [float("nan")]}, "verdict must hold whole numbers, not nan"),
        ({"verdict": [1], "judged": [False]}, "judged"),
        ({"verdict": [1], "inclusion": [0.0]}, "inclusion"),
        ({"verdict": [1], "cheap": [float("nan")]}, "cheap"),
        ({"verdict": [1], "segment": [1, 2]}, "segment"),
    ],
)
def test_arrays_that_cannot_be_are_named(arrays: dict[str, list[float]], message: str) -> None:
    """At the door, with the fix."""
    with pytest.raises(ValueError, match=message):
        window(
            verdict=arrays["verdict"],
            judged=arrays.get("judged"),
            inclusion=arrays.get("inclusion"),
            cheap=arrays.get("cheap"),
            segment=arrays.get("segment"),
        )


_SCORES = [0.7] * 40
_ONES = [1.0] * 40


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("truth", lambda: Calibration.of(_SCORES, _ONES)),
        ("verdict", lambda: Calibration.of(_ONES, _SCORES)),
        ("truth", lambda: audited_level(window(verdict=_ONES), strata_of(window(verdict=_ONES)), _SCORES)),
        ("truth", lambda: confusion(window(verdict=_ONES), strata_of(window(verdict=_ONES)), _SCORES)),
        ("truth", lambda: next_labels(window(verdict=_ONES), strata_of(window(verdict=_ONES)), _SCORES)),
        ("old", lambda: replay(_SCORES, _ONES)),
        ("again", lambda: replay(_ONES, _ONES, _SCORES)),
        ("new", lambda: promotion(_ONES, _ONES, _SCORES, _ONES)),
        ("second", lambda: cohen_kappa(_ONES, _SCORES, kinds=2)),
    ],
)
def test_scores_are_not_cut_to_verdicts_or_labels(name: str, use: Callable[[], object]) -> None:
    """0.7 was a 0: a verdict that failed, an answer that is unfaithful."""
    with pytest.raises(ValueError, match=f"^{name} must hold whole numbers, not 0.7: compare"):
        use()


_WITH_CONFIDENCE: tuple[Callable[[float], object], ...] = (
    lambda level: judged_rate(window(verdict=_ONES), confidence=level),
    lambda level: anchored_level(AUDITED, AUDITED, confidence=level),
    lambda level: mix_change(FEW, FEW, confidence=level),
    lambda level: betting_sequence(_ONES, confidence=level),
    lambda level: cohen_kappa([0, 1] * 20, [0, 1] * 20, kinds=2, confidence=level),
)


@pytest.mark.parametrize("confidence", [95.0, 1.0, 0.0, float("nan")])
@pytest.mark.parametrize("use", _WITH_CONFIDENCE)
def test_a_confidence_in_percent_is_refused(use: Callable[[float], object], confidence: float) -> None:
    """95 ended in an error of the normal distribution, 0 in a division by zero."""
    with pytest.raises(ValueError, match=r"^confidence must lie in \(0, 1\)"):
        use(confidence)
