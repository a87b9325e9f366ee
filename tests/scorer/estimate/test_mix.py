"""Trap 14: a change of mix is not a change of quality."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.scorer.estimate.coverage import shown
from tests.scorer.estimate.test_traps import GOLD, refused, split

from ragvigil.scorer.estimate import (
    Refusal,
    Window,
    mix_change,
    quality_change,
    window,
)


def test_trap_14_a_change_of_mix_is_not_a_change_of_quality() -> None:
    """Simpson: no segment moved and the raw rate fell ten points; or both fell and the raw rate stood still."""

    def sides(*cells: tuple[int, int, float]) -> tuple[list[int], list[int]]:
        verdict: list[int] = []
        segment: list[int] = []
        for code, count, passed in cells:
            good = round(count * passed)
            verdict += [1] * good + [0] * (count - good)
            segment += [code] * count
        return verdict, segment

    def moved(
        before: tuple[list[int], list[int]], now: tuple[list[int], list[int]]
    ) -> tuple[float, float, float]:
        windows = [window(verdict=verdict, segment=segment) for verdict, segment in (before, now)]
        parts = mix_change(*windows)
        assert not isinstance(parts, Refusal)
        assert parts.raw.raw == pytest.approx(parts.within.raw + parts.mix.raw)
        assert parts.within.lower < parts.within.value < parts.within.upper
        return parts.raw.value, parts.within.value, parts.mix.value

    raw, within, mix = moved(sides((0, 1_500, 0.9), (1, 500, 0.7)), sides((0, 500, 0.9), (1, 1_500, 0.7)))
    assert (raw, within, mix) == pytest.approx((-0.1, 0.0, -0.1))
    raw, within, _ = moved(sides((0, 1_000, 0.9), (1, 1_000, 0.7)), sides((0, 1_500, 0.85), (1, 500, 0.65)))
    assert raw == pytest.approx(0.0)
    assert within == pytest.approx(-0.05)


@pytest.mark.parametrize("leaves", [True, False])
def test_trap_14_a_segment_that_leaves_or_comes_is_mix_alone(leaves: bool) -> None:
    """A third of the traffic at .40 is in one window only; the others stay at .95 and .70 in the same proportion."""
    verdict = [1] * 950 + [0] * 50 + [1] * 700 + [0] * 300
    fewer = window(verdict=verdict, segment=[1] * 1_000 + [2] * 1_000)
    third = window(
        verdict=[*verdict, *[1] * 400, *[0] * 600], segment=[1] * 1_000 + [2] * 1_000 + [0] * 1_000
    )
    parts = mix_change(third, fewer) if leaves else mix_change(fewer, third)
    assert not isinstance(parts, Refusal)
    sign = 1.0 if leaves else -1.0
    whole = sign * (0.825 - 2_050 / 3_000)
    assert (parts.raw.value, parts.within.value, parts.mix.value) == pytest.approx((whole, 0.0, whole))
    assert parts.within.lower < 0.0 < parts.within.upper
    assert parts.mix.lower < whole < parts.mix.upper
    assert shown(quality_change(parts, GOLD)).value == pytest.approx(0.0)


@pytest.mark.parametrize("left", [0.5, 1.5, 3.0])
def test_trap_14_a_segment_of_which_a_handful_is_left_is_mix_alone(left: float) -> None:
    """Nearly a third of the traffic, half of it bad, goes but for `left` verdicts: .21 to .84 of intervals held 0."""
    random = np.random.default_rng(14)
    rates, then = np.array([0.9, 0.8, 0.5]), np.array([0.5, 0.2, 0.3])
    now = np.append(then[:2] / 0.7 * (1.0 - left / 200.0), left / 200.0)

    def drawn(share: NDArray[np.float64]) -> Window:
        segment = random.choice(3, size=2_000, p=share)
        asked = random.random(2_000) < 0.1
        passed = random.random(2_000) < rates[segment]
        return window(verdict=np.where(asked, passed, -1), judged=asked, segment=segment)

    held = told = 0
    for _ in range(200):
        within = split(drawn(then), drawn(now)).within
        held += within.lower <= 0.0 <= within.upper
        told += any("left out" in caveat for caveat in within.caveats)
    assert 184 <= held <= 198
    assert told > 150


def test_trap_14_thin_segments_of_both_windows_are_not_left_out() -> None:
    """Ten with three verdicts each, one to four the next day: they are compared."""
    before = window(verdict=[1, 1, 0] * 10 + [1] * 170, segment=np.repeat(np.arange(11), [3] * 10 + [170]))
    counts = [1, 1, 1, 2, 3, 3, 4, 4, 4, 4, 170]
    now = window(verdict=np.ones(197), segment=np.repeat(np.arange(11), counts))
    assert split(before, now).within.caveats == ()


@pytest.mark.parametrize("names", [["de", "en", "fr"], [10**6, 2 * 10**6, 3 * 10**6]], ids=["names", "ids"])
def test_trap_14_segments_are_compared_by_name(names: list[str] | list[int]) -> None:
    """Each window has another two of three segments; the one that both have did not change."""
    verdict = [1] * 950 + [0] * 50 + [1] * 700 + [0] * 300
    before = window(verdict=verdict, segment=np.repeat(names[:2], 1_000))
    now = window(verdict=verdict[::-1], segment=np.repeat(names[1:], 1_000))
    parts = mix_change(before, now)
    assert not isinstance(parts, Refusal)
    assert parts.within.value == pytest.approx(0.0)
    coded = [
        window(verdict=row, segment=np.repeat(codes, 1_000))
        for row, codes in ((verdict, [0, 1]), (verdict[::-1], [1, 2]))
    ]
    assert mix_change(*coded) == parts


def test_trap_14_numbers_and_names_of_segments_are_not_compared() -> None:
    """Which name is which number, nobody knows."""
    numbers, names = (window(verdict=[1] * 40, segment=codes) for codes in ([0] * 40, ["0"] * 40))
    with pytest.raises(ValueError, match="segment is a number in one window"):
        mix_change(numbers, names)


def test_trap_14_windows_without_a_common_segment_have_no_change_within() -> None:
    """Nothing is compared with nothing."""
    one, other = (window(verdict=[1] * 100, segment=[code] * 100) for code in (0, 1))
    assert "both windows" in refused(mix_change(one, other)).detail
