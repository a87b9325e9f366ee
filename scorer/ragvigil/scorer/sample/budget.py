"""What judging may cost, what it cost, and how near the tightest limit is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragvigil.scorer import config
from ragvigil.scorer.sample.allocate import FLOOR
from ragvigil.scorer.sample.limits import DAY, MINUTE, Limit, Spent

_FREE = 0.5
"""Share of what a limit allows at once up to which nothing is held down."""
_STEEP = 2.0
"""How fast the factor falls from there."""
_STEEP_DAY = 16.0
"""The same for a day, of which one verdict is a small part.

With the few calls of a minute the factor would swing from draw to draw, and the weights with it.
"""
_BLIND = 5.0
_LIMITS = ("calls_per_minute", "tokens_per_minute", "usd_per_minute", "tokens_per_day", "usd_per_day")
_LEAST = 1e-9
"""A probability of 0 has no inverse to weigh by."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What judging may cost, and where it goes. None is no limit."""

    at_least_per_day: float = 0.0
    """Judged records a day that a small service gets, whatever its rate."""
    calls_per_minute: float | None = None
    tokens_per_minute: float | None = None
    usd_per_minute: float | None = None
    tokens_per_day: float | None = None
    usd_per_day: float | None = None
    floor: float = FLOOR
    informative: float = 1.0
    """Factor on the probability of records that look bad or new; 1 treats all alike."""
    most_strata: int = 64

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Those that are set.

        >>> Budget(usd_per_day=10.0).limits
        (Limit(name='usd_per_day', most=10.0),)
        """
        return tuple(Limit(name, most) for name in _LIMITS if (most := getattr(self, name)) is not None)


def budget_of(sample: config.Sample) -> Budget:
    """What judging may cost by these settings."""
    return Budget(
        at_least_per_day=sample.minimum_per_day,
        calls_per_minute=sample.calls_per_minute,
        tokens_per_minute=sample.tokens_per_minute,
        usd_per_minute=sample.usd_per_minute,
        tokens_per_day=sample.tokens_per_day,
        usd_per_day=sample.usd_per_day,
        floor=sample.floor,
        informative=sample.informative,
        most_strata=sample.most_strata,
    )


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

    ahead: float = 0.0
    """What was spent or will be by what waits, and has not yet leaked out, as a share of what it allows at once."""

    @property
    def factor(self) -> float:
        """What probabilities are multiplied with, in (0, 1]: 1 up to half of what is allowed at once, then falling.

        >>> [round(Pressure("usd_per_day", 1.0, 10.0, ahead=ahead).factor, 3) for ahead in (0.5, 0.6)]
        [1.0, 0.202]
        >>> Pressure("calls_per_minute", 40.0, 60.0, wished=4_800.0).factor
        0.01
        """
        steep = _STEEP_DAY if self.limit.endswith("_day") else _STEEP
        falls = math.exp(-min(steep * max(0.0, self.ahead - _FREE), 100.0))
        return max(_LEAST, min(1.0, self._rule.evenly / max(self.wished, 1e-9)) * falls)

    def later(self, seconds: float) -> Pressure:
        """What is left of it so much later, when nothing is spent meanwhile.

        >>> later = Pressure("tokens_per_minute", 100.0, 90.0, ahead=1.5).later(15.0)
        >>> round(later.used, 1), round(later.ahead, 1)
        (77.9, 0.5)
        """
        minute, day = left_after(seconds)
        keep = day if self.limit.endswith("_day") else minute
        rule = self._rule
        ahead = rule.left(self.ahead * rule.at_once, seconds) / rule.at_once
        return self._replace(used=self.used * keep, wished=self.wished * keep, ahead=ahead)

    @property
    def _rule(self) -> Limit:
        return Limit(self.limit, self.most)


def left_after(seconds: float) -> tuple[float, float]:
    """The shares that are left, so much later, of what was spent in about a minute and in about a day.

    >>> [round(left, 3) for left in left_after(60.0)]
    [0.368, 0.999]
    """
    return math.exp(-seconds / MINUTE), math.exp(-seconds / DAY)


def pressures(
    budget: Budget,
    *,
    minute: Spent,
    day: Spent,
    drawn: float = 0.0,
    wished: float = 0.0,
    elsewhere: float = 0.0,
    each: Spent | None = None,
    ahead: Mapping[str, float] | None = None,
) -> tuple[Pressure, ...]:
    """How near each limit is when so much is spent in about a minute and a day; () where there are none.

    `drawn` of the records of that minute are judged and `wished` would be without a limit, each for about `each`: what
    they take of a minute's tokens and money counts when they are drawn, as calls do, for the surge is over before it is
    paid. What was spent beyond that comes on top. `elsewhere` are the calls of the minute that others made.
    `ahead` is what the bucket of each limit holds, with what will go in by what waits.

    >>> budget = Budget(tokens_per_minute=10_000.0)
    >>> pressures(budget, minute=Spent(tokens=1_500.0), day=Spent(), drawn=4.0, wished=8.0, each=Spent(tokens=500.0))
    (Pressure(limit='tokens_per_minute', used=2000.0, most=10000.0, wished=4000.0, ahead=0.0),)
    """
    each = each or Spent(1.0)
    took, would = each * drawn, each * wished
    tokens, usd = max(0.0, minute.tokens - took.tokens), max(0.0, minute.usd - took.usd)
    used = {
        "calls_per_minute": (minute.calls, would.calls + elsewhere),
        "tokens_per_minute": (took.tokens + tokens, would.tokens + tokens),
        "usd_per_minute": (took.usd + usd, would.usd + usd),
        "tokens_per_day": (day.tokens, 0.0),
        "usd_per_day": (day.usd, 0.0),
    }
    ahead = ahead or {}
    return tuple(
        Pressure(one.name, spent, one.most, wish, ahead.get(one.name, 0.0) / one.at_once)
        for one in budget.limits
        for spent, wish in (used[one.name],)
    )


def guess(budget: Budget) -> tuple[Spent, Spent]:
    """What a verdict is taken to cost of a minute and of a day before there is one.

    So much that a handful takes what the limits allow at once: few are drawn until the first is there.

    >>> guess(Budget(usd_per_day=10.0))[1].usd
    0.4
    """
    allows = {one.name: one.at_once / _BLIND for one in budget.limits}
    minute, day = (
        Spent(1.0, *(allows.get(f"{what}_per_{stretch}", 0.0) for what in ("tokens", "usd")))
        for stretch in ("minute", "day")
    )
    return minute, day


def share_at_once(budget: Budget, *, minute: Spent, day: Spent) -> float:
    """The largest share of what a limit allows at once that one such verdict of the minute or the day takes.

    >>> share_at_once(Budget(calls_per_minute=60.0, usd_per_day=10.0), minute=Spent(1.0), day=Spent(usd=0.5))
    0.25
    """
    return max(
        (one.of(day if one.name.endswith("_day") else minute) / one.at_once for one in budget.limits),
        default=0.0,
    )


def factor_of(found: Sequence[Pressure]) -> float:
    """What the tightest of the limits leaves of a probability; 1 without limits."""
    return min((one.factor for one in found), default=1.0)
