"""Whether answers are worse than a baseline's to the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.estimate import FEWEST, Difference
from ragvigil.scorer.estimate.paired import paired_difference
from ragvigil.scorer.estimate.window import Booleans
from ragvigil.scorer.gate.decide import State
from ragvigil.scorer.gate.figures import Judged, conversations, lost_of, values_of
from ragvigil.scorer.gate.names import named
from ragvigil.scorer.gate.settings import Regression


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure, now against then."""

    name: str
    n: int
    """Questions of which both have a value."""
    questions: int
    """All that both answer."""
    difference: Difference | None
    """now - before, paired; None with fewer than 20 questions."""
    state: State
    said: str


def compare(name: str, before: Sequence[Judged], now: Sequence[Judged], wanted: Regression) -> Compared:
    """The paired difference of a figure; `before` and `now` answer the same questions in the same order.

    A verdict that never came counts against the answers, so that no gate holds because its judge failed; so does an
    answer without a value that neither claims anything nor rightly refuses, where there was a value before. A
    difference whose interval holds 0 is noise. Without a margin only one that surely is a fall fails; with one it has
    to be shown that there is no larger fall.
    """
    low = named(name, name).better == "low"
    good, bad = (0.0, 1.0) if low else (1.0, 0.0)
    first, second = values_of(name, before), values_of(name, now)
    lost_before, lost_now = lost_of(name, before), lost_of(name, now)
    gone = np.isfinite(first) & ~np.isfinite(second) & ~lost_now & _says_nothing(now)
    first, second = np.where(lost_before, good, first), np.where(lost_now | gone, bad, second)
    both = np.isfinite(first) & np.isfinite(second)
    n = int(both.sum())
    if n < FEWEST:
        have = "question has" if n == 1 else "questions have"
        few = f"{n:,} {have} a value in both, at least {FEWEST} are needed"
        return Compared(name, n, len(now), None, "not_enough_data", few)
    moved = paired_difference(first[both], second[both], conversations(now)[both])
    worst, best = (-moved.upper, -moved.lower) if low else (moved.lower, moved.upper)
    state, said = _decided(worst, best, wanted.margin)
    notes = [
        f"{count:,} {what} and count as a fall"
        for count, what in (
            (int(((lost_before | lost_now) & both).sum()), "verdicts never came"),
            (int((gone & both).sum()), "answers had a value, have none now"),
        )
        if count
    ]
    return Compared(name, n, len(now), moved, state, "; ".join((said, *notes)))


def _says_nothing(judged: Sequence[Judged]) -> Booleans:
    """Which answers are blank, refuse or claim nothing, though it was not a refusal that was due."""
    return np.array([not one.told_of and not one.answered.expected_refusal for one in judged], dtype=np.bool_)


def _decided(worst: float, best: float, margin: float | None) -> tuple[State, str]:
    """By the ends of the interval of how much better it is."""
    told = (
        "worse"
        if best < 0.0
        else "better"
        if worst > 0.0
        else "noise: the change is smaller than its interval"
    )
    if margin is None:
        return ("fails" if best < 0.0 else "holds"), told
    if worst >= -margin:
        return "holds", told
    if best < -margin:
        return "fails", f"worse by more than {margin:.1%}"
    return "not_shown", f"{told}; that it is worse by no more than {margin:.1%} is not shown"
