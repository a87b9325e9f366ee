"""What judging may cost, what it cost, and how near the tightest limit is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragvigil.scorer.sample.allocate import FLOOR

_FREE = 0.8
"""Share of a limit up to which nothing is held down."""
_STEEP = 8.0
"""How fast the factor falls from there."""
_STEEP_DAY = 25.0
"""The same for a day, of which one verdict is a small part: a hundred times its worth of records stays within it.

With the few calls of a minute the factor would swing from draw to draw, and the weights with it.
"""
_MINUTE, DAY = 60.0, 86_400.0
_BLIND = 25.0
_BLIND_MINUTE = 5.0
_LEAST = 1e-9
"""A probability of 0 has no inverse to weigh by."""


class Spent(NamedTuple):
    """What judging took."""

    calls: float = 0.0
    tokens: float = 0.0
    usd: float = 0.0

    def __add__(self, other: object) -> Spent:  # of a tuple it would be longer
        """Both together.

        >>> (Spent(1, 10) + Spent(2)) * 0.5
        Spent(calls=1.5, tokens=5.0, usd=0.0)
        """
        return (
            Spent(*(a + b for a, b in zip(self, other, strict=True)))
            if isinstance(other, Spent)
            else NotImplemented
        )

    def __mul__(self, factor: object) -> Spent:
        """A part of it."""
        return Spent(*(a * factor for a in self)) if isinstance(factor, float) else NotImplemented


@dataclass(frozen=True, slots=True)
class Budget:
    """What judging may cost, and where it goes. None is no limit."""

    at_least_per_day: float = 0.0
    """Judged records a day of all services together, whatever the rate."""
    calls_per_minute: float | None = None
    tokens_per_minute: float | None = None
    usd_per_minute: float | None = None
    tokens_per_day: float | None = None
    usd_per_day: float | None = None
    floor: float = FLOOR
    informative: float = 1.0
    """Factor on the probability of records that look bad or new; 1 treats all alike."""
    most_strata: int = 64


class Pressure(NamedTuple):
    """How near one limit is."""

    limit: str
    """Name of the setting in ``[sample]``."""
    used: float
    """What of it is spent, or will be by what waits for its verdict."""
    most: float
    """What it allows."""
    wished: float = 0.0
    """What would be spent if it allowed everything, where that is known before it is spent."""

    @property
    def factor(self) -> float:
        """What probabilities are multiplied with, in (0, 1]: 1 up to four fifths of the limit, then falling smoothly.

        >>> [round(Pressure("usd_per_day", used, 10.0).factor, 3) for used in (8.0, 9.0)]
        [1.0, 0.082]
        >>> Pressure("calls_per_minute", 40.0, 60.0, wished=4_800.0).factor
        0.01
        """
        steep = _STEEP_DAY if self.limit.endswith("_day") else _STEEP
        beyond = max(0.0, self.used / self.most - _FREE)
        falls = math.exp(-min(steep * beyond, 100.0))
        return max(_LEAST, min(1.0, _FREE * self.most / max(self.wished, 1e-9)) * falls)

    def later(self, seconds: float) -> Pressure:
        """What is left of it so much later, when nothing is spent meanwhile.

        >>> round(Pressure("tokens_per_minute", 100.0, 90.0).later(60.0).used, 1)
        36.8
        """
        minute, day = left_after(seconds)
        keep = day if self.limit.endswith("_day") else minute
        return self._replace(used=self.used * keep, wished=self.wished * keep)


def left_after(seconds: float) -> tuple[float, float]:
    """The shares that are left, so much later, of what was spent in about a minute and in about a day.

    >>> [round(left, 3) for left in left_after(60.0)]
    [0.368, 0.999]
    """
    return math.exp(-seconds / _MINUTE), math.exp(-seconds / DAY)


def pressures(
    budget: Budget,
    *,
    minute: Spent,
    day: Spent,
    drawn: float = 0.0,
    wished: float = 0.0,
    elsewhere: float = 0.0,
    each: Spent | None = None,
) -> tuple[Pressure, ...]:
    """How near each limit is when so much is spent in about a minute and a day; () where there are none.

    `drawn` of the records of that minute are judged and `wished` would be without a limit, each for about `each`: what
    they take of a minute's tokens and money counts when they are drawn, as calls do, for the surge is over before it is
    paid. What was spent beyond that comes on top. `elsewhere` are the calls of the minute that others made.

    >>> budget = Budget(tokens_per_minute=10_000.0)
    >>> pressures(budget, minute=Spent(tokens=1_500.0), day=Spent(), drawn=4.0, wished=8.0, each=Spent(tokens=500.0))
    (Pressure(limit='tokens_per_minute', used=2000.0, most=10000.0, wished=4000.0),)
    """
    each = each or Spent()
    took, would = each * drawn, each * wished
    tokens, usd = max(0.0, minute.tokens - took.tokens), max(0.0, minute.usd - took.usd)
    used = (
        ("calls_per_minute", minute.calls, budget.calls_per_minute, wished + elsewhere),
        ("tokens_per_minute", took.tokens + tokens, budget.tokens_per_minute, would.tokens + tokens),
        ("usd_per_minute", took.usd + usd, budget.usd_per_minute, would.usd + usd),
        ("tokens_per_day", day.tokens, budget.tokens_per_day, 0.0),
        ("usd_per_day", day.usd, budget.usd_per_day, 0.0),
    )
    return tuple(Pressure(name, spent, most, wish) for name, spent, most, wish in used if most is not None)


def guess(budget: Budget) -> Spent:
    """What a verdict is taken to cost of a day before there is one: so much that its limit allows two dozen."""
    return Spent(0.0, (budget.tokens_per_day or 0.0) / _BLIND, (budget.usd_per_day or 0.0) / _BLIND)


def guess_of_a_minute(budget: Budget) -> Spent:
    """The same of a minute: its limit allows a handful, for the first verdict is soon there."""
    most = Spent(0.0, budget.tokens_per_minute or 0.0, budget.usd_per_minute or 0.0)
    return most * (1.0 / _BLIND_MINUTE)


def share_of_limits(budget: Budget, *, minute: Spent, day: Spent) -> float:
    """The largest share of a limit that one more call, and such a verdict of the minute or the day, take.

    >>> share_of_limits(Budget(calls_per_minute=60.0, usd_per_day=10.0), minute=Spent(), day=Spent(usd=0.5))
    0.05
    """
    parts = (
        (1.0, budget.calls_per_minute),
        (minute.tokens, budget.tokens_per_minute),
        (minute.usd, budget.usd_per_minute),
        (day.tokens, budget.tokens_per_day),
        (day.usd, budget.usd_per_day),
    )
    return max((cost / most for cost, most in parts if most is not None), default=0.0)


def factor_of(found: Sequence[Pressure]) -> float:
    """What the tightest of the limits leaves of a probability; 1 without limits."""
    return min((one.factor for one in found), default=1.0)
