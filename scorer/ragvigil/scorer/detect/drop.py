"""The drop rule: when two stretches of one series differ by enough, and surely enough, to wake somebody.

A page needs all of these:

1. the window has ``min_sample`` observations and the baseline ``min_baseline``: a small n is never a page;
2. the rate fell by at least ``min_drop``: many observations make any trifle significant;
3. the whole interval of the fall, at ``confidence``, lies beyond half of ``min_drop``.

Why half in 3: to demand the whole of ``min_drop`` there would need endless data to page on a fall of just
``min_drop``; to demand only "beyond 0" would let chance do most of the falling when n is small. With half,
chance has to overcome z standard errors and half of ``min_drop`` on top.

There is no floor. On an uncalibrated rate a floor pages for ever: a judge that passes 85 % of the faithful
and 8 % of the unfaithful answers passes .81 of a service that is right 95 times in 100.

What it does not promise: ``confidence`` is that of one look. The series is looked at again and again, over
several stretches, and every look is another chance to err. Simulated for 55 years a cell (200 to 2,000
verdicts a day, a constant rate between .7 and .95, a look every ten minutes, defaults otherwise), a series
pages falsely .1 to .6 times a year at .9999, and 0.5 to 5 times at .999. That is a measurement of
independent observations, not a bound: conversations, time of day and mix make real ones more alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragvigil.scorer.config import Rule
from ragvigil.scorer.estimate import Difference, Estimate, difference, rate
from ragvigil.scorer.monitoring import Sums


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two stretches of one series side by side."""

    before: Estimate
    """With a 95 % interval, as shown to people."""
    now: Estimate
    """With a 95 % interval, as shown to people."""
    change: Difference
    """now - before, with an interval at the rule's confidence."""
    fell: bool
    """Whether it deserves a page."""


def compare(before: Sums, now: Sums, rule: Rule) -> Comparison | None:
    """The comparison of a window with its baseline; None where either has too few observations.

    >>> healthy, broken = Sums(3000, 3000, 2850, 3000, 2850, 2850), Sums(80, 80, 48, 80, 48, 48)
    >>> compare(healthy, broken, Rule()).fell
    True
    >>> compare(healthy, Sums(49, 49, 0, 49, 0, 0), Rule()) is None
    True
    """
    if now.n < rule.min_sample or before.n < rule.min_baseline:
        return None
    earlier, later = rate(before), rate(now)
    if earlier is None or later is None:
        return None
    change = difference(earlier, later, confidence=rule.confidence)
    fell = change.value <= -rule.min_drop and change.upper < -rule.min_drop / 2.0
    return Comparison(earlier, later, change, fell)
