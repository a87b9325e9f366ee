"""Reachable numbers: what two numbers that a claim, or its evidence, tells come to in one step, whatever shows it.

Units must agree: money times a count is money, money by money a share. What was reached may be used in the next step,
as in "5 x 60 euros are 300 euros, so you save 50 euros".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from ragvigil.scorer.checks.alignment.quantities import (
    CALENDAR,
    COUNT,
    RATIO,
    TIME,
    Amount,
    Claimed,
    Quantity,
)
from ragvigil.scorer.checks.alignment.reckoning import A_DAY, MORE, THAT_IS, is_year, one_of
from ragvigil.scorer.checks.reading.expressions import CLOCK, DAY

_SUMS = re.compile(
    rf"[=+\u00d7]|{THAT_IS}|\b{one_of('plus', 'times', 'joins', 'worked_out')}(?!\w)|\u5408\u8a08|\u306e\u3067",
    re.IGNORECASE,
)
_DIFFERENCES = re.compile(
    rf"\u2212|{MORE}|\b{one_of('minus', 'against', 'changed', 'reduced')}(?!\w)|\u5dee\u984d", re.IGNORECASE
)
_MOST, _COUNTED, _FEWEST = 8, 12, 2
_EXACTLY, _ROUNDED = 1e-6, 5e-3
_NO_RESULTS = frozenset((CLOCK, DAY, TIME, CALENDAR))
_Outcome = tuple[str, float, bool]


class _Shown(NamedTuple):
    """What a claim has words for."""

    sums: bool
    differences: bool


_NOTHING_SHOWN = _Shown(sums=False, differences=False)


class Reached(NamedTuple):
    """A number of a claim, and the two that it comes of."""

    result: Quantity
    of: tuple[Quantity, ...]
    """Those of them that the claim tells."""
    whole: bool
    """Whether it tells both: else nothing more is worked out of it."""


def reachable(
    said: Claimed, lacking: Sequence[int], beside: Callable[[], Sequence[Quantity]]
) -> list[Reached]:
    """What `said` has of numbers at `lacking` places that come of its others, or of one `beside` them in the evidence.

    >>> from ragvigil.scorer.checks.alignment.quantities import claimed
    >>> from ragvigil.scorer.checks.reading.words import words
    >>> texts = ("With 15 % off it costs 38.25 euros, not 45 euros.", "With 15 % off it costs 39 euros, not 45 euros.")
    >>> read = [claimed(words(text), text) for text in texts]
    >>> [[one.result.amounts[0].much for one in reachable(each, [5], list)] for each in read]
    [[38.25], []]
    """
    sought = [one for one in said.quantities if _is_sought(one, lacking)]
    if not sought or len(said.quantities) > _MOST:
        return []
    told = [one for one in said.quantities if one not in sought and not is_year(one)]
    if not told:
        return []
    shown = _NOTHING_SHOWN  # of one number that is told nobody asks
    if len(told) >= _FEWEST:
        shown = _Shown(*(cue.search(said.skeleton) is not None for cue in (_SUMS, _DIFFERENCES)))
    near = beside()
    found: list[Reached] = []
    left = list(sought)
    while step := _step(said, left, told, near, shown):
        found.append(step)
        left.remove(step.result)
        if step.whole:
            told.append(step.result)
    return found


def _step(
    said: Claimed, left: Sequence[Quantity], told: Sequence[Quantity], near: Sequence[Quantity], shown: _Shown
) -> Reached | None:
    """The first of those `left` that comes of others."""
    for one in left:
        for of, whole in _pairs(told, near):
            if _comes_of(one, *of, shown if whole else None):
                return Reached(one, tuple(part for part in of if part in said.quantities), whole)
        if shown.sums and _is_total(one, told):
            return Reached(one, tuple(told), whole=True)
    return None


def _is_total(result: Quantity, told: Sequence[Quantity]) -> bool:
    """Whether it is the sum of all others that measure the same, of three or more."""
    for mine in _likeliest(result):
        parts = [
            amount.much for one in told for amount in _likeliest(one) if amount.kind == mine.kind != COUNT
        ]
        if len(parts) > _FEWEST and abs(sum(parts) - mine.much) <= _EXACTLY * mine.much:
            return True
    return False


def _is_sought(one: Quantity, lacking: Sequence[int]) -> bool:
    """Whether it is lacking, and no time, year or small count."""
    if not any(place in lacking for place in one.places) or is_year(one):
        return False
    kinds = {amount.kind for amount in one.amounts}
    if not kinds.isdisjoint(_NO_RESULTS):
        return False
    return kinds != {COUNT} or any(face.much > _COUNTED or face.much % 1 for face in one.faces)


def _pairs(
    told: Sequence[Quantity], near: Sequence[Quantity]
) -> Iterator[tuple[tuple[Quantity, Quantity], bool]]:
    """Two numbers, each way round, and whether the claim tells both; one it does at least."""
    for one, other in permutations(told, 2):
        yield (one, other), True
    for one in told:
        for other in near:
            yield (other, one), False
            if any(amount.kind == RATIO for amount in other.amounts):
                yield (one, other), False


def _comes_of(result: Quantity, one: Quantity, other: Quantity, shown: _Shown | None) -> bool:
    """Whether `result` is what they come to; `shown`: what the claim shows that tells both, None where it does not."""
    return any(
        abs(mine.much - much) <= (min(mine.near, _ROUNDED * much) if rounded else 0.0) + _EXACTLY * abs(much)
        for kind, much, rounded in _outcomes(one, other, shown)
        for mine in _likeliest(result)
        if mine.kind == kind
    )


def _outcomes(one: Quantity, other: Quantity, shown: _Shown | None) -> Iterator[_Outcome]:
    """What they come to: of which kind, how much, and whether it may be rounded."""
    for a in _likeliest(one):
        if a.kind in (RATIO, *_NO_RESULTS):
            continue
        for b in _likeliest(other):
            if b.kind == RATIO:
                yield from ((a.kind, a.much * factor, True) for factor in (b.much, 1 - b.much, 1 + b.much))
            elif shown and a.kind == b.kind:
                yield from _of_one_kind(a, b, shown)
        for times in _counts(other) if shown is None or shown.sums or shown.differences else ():
            yield a.kind, a.much * times, False
            if shown:
                yield a.kind, a.much / times, True


def _likeliest(one: Quantity) -> list[Amount]:
    """Its amounts, "2,000" as two thousand alone."""
    most = {
        amount.kind: max(each.much for each in one.amounts if each.kind == amount.kind)
        for amount in one.amounts
    }
    return [amount for amount in one.amounts if amount.much == most[amount.kind]]


def _of_one_kind(a: Amount, b: Amount, shown: _Shown) -> Iterator[_Outcome]:
    if shown.sums:
        yield a.kind, a.much + b.much, False
        if b.much:
            yield RATIO, a.much / b.much, True
    if shown.differences:
        yield a.kind, abs(a.much - b.much), False
        if b.much:
            yield RATIO, abs(a.much - b.much) / b.much, True


def _counts(one: Quantity) -> Iterator[float]:
    """How often something may be taken: a bare number, or so many days or months."""
    if any(
        amount.kind in (COUNT, CALENDAR) or (amount.kind == TIME and amount.much >= A_DAY)
        for amount in one.amounts
    ):
        yield from (face.much for face in one.faces[:1] if face.much > 1)
