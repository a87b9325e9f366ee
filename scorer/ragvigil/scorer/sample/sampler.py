"""Designed sampling as records arrive: a budget, strata, bursts, and more of what is informative.

Every probability depends only on what was seen before the record (its own signals aside), and is stored with it
before any verdict; so the mean that weights by its inverse is unbiased whatever the budget did meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ragvigil.scorer.sample.allocate import FLOOR, allocate
from ragvigil.scorer.sample.draw import Decision, fraction

OTHER = "other"
"""The stratum of every segment beyond `most_strata`."""

_DAY = 86_400.0
_PRIOR_DAYS = 1.0 / 24.0
_PRIOR_PER_DAY = 10_000.0
"""Traffic assumed of a service never seen before, worth an hour of seeing it, and less from then on."""
_REFRESH_RECORDS = 1_000
_REFRESH_SECONDS = 5.0
_SPENT: tuple[str, ...] = ("calls", "tokens", "usd", "tokens_minute", "usd_minute")
_NEWEST = 0.05
"""Weight of the newest verdict in what one usually costs."""
_MOST_STRAIN = 5.0
"""Times a limit that are told apart: beyond, the factor would be no number above 0."""


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


def _nobody() -> tuple[Spent, Spent]:
    return Spent(), Spent()


def _none() -> int:
    return 0


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


class Burst(NamedTuple):
    """More judging of one stratum for a while."""

    left: int
    """Records still to judge."""
    chance: float


@dataclass(frozen=True, slots=True)
class SamplerState:
    """What a sampler remembers; plain numbers, so that JSON can hold it."""

    traffic: dict[str, float] = field(default_factory=dict[str, float])
    """Records of each stratum, forgotten by e a day."""
    days: float = 0.0
    boosts: float = 0.0
    spent: dict[str, float] = field(default_factory=dict[str, float])
    bursts: dict[str, Burst] = field(default_factory=dict[str, Burst])
    at: float | None = None
    usual: Spent | None = None
    """What a verdict usually costs; None before the first."""


class Sampler:
    """Decides one record at a time; all that it remembers is in `state`."""

    def __init__(
        self,
        rate: float,
        budget: Budget | None = None,
        *,
        others: Callable[[], tuple[Spent, Spent]] = _nobody,
        waiting: Callable[[], int] = _none,
    ) -> None:
        """`others` says what other processes spent of the same budget in about a minute, and in about a day.

        `waiting` says how many drawn records have no verdict yet; each will cost what one usually does.
        """
        self._others = others
        self._waiting = waiting
        self._usual: Spent | None = None
        self._rate = rate
        self._budget = budget or Budget()
        self._table: dict[str, float] = {}
        self._share = rate
        self._traffic: dict[str, float] = {}
        self._days = 0.0
        self._boosts = 0.0
        self._spent: dict[str, float] = dict.fromkeys(_SPENT, 0.0)
        self._bursts: dict[str, Burst] = {}
        self._at: float | None = None
        self._since = 0
        self._throttle = 1.0

    def decide(
        self, trace_id: str, stratum: str = "", *, at: float = 0.0, informative: bool = False
    ) -> Decision:
        """Whether a record of `stratum` that arrives `at` (seconds, any clock) is judged, and its probability.

        The draw is the published hash, so the same record under the same probability is decided the same
        everywhere, and a higher probability judges whoever a lower one does.
        """
        if self._at is None or self._since >= _REFRESH_RECORDS or at - self._at >= _REFRESH_SECONDS:
            self._refresh(at)
        if stratum not in self._traffic and len(self._traffic) >= self._budget.most_strata:
            stratum = OTHER
        boost = self._budget.informative if informative else 1.0
        self._since += 1
        self._traffic[stratum] = self._traffic.get(stratum, 0.0) + 1.0
        self._boosts += boost
        inclusion = min(1.0, self._table.get(stratum, self._share) * boost) if self._rate > 0.0 else 0.0
        if self._bursts:
            inclusion = self._burst(stratum, inclusion)
        place = fraction(trace_id)
        judged = place < inclusion
        if judged:
            self._count(stratum)
        return Decision(judged, inclusion, place, stratum)

    def redraw(self, trace_id: str, inclusion: float, wished: float) -> Decision:
        """The decision on a record that was drawn with `inclusion`, now that its kind deserves `wished`.

        The draw nests, so that whoever was judged stays judged and the probability of being judged is the higher of
        the two, less where a limit on calls is near. `wished` may depend on anything but the record's own verdict.
        """
        chance = max(inclusion, min(1.0, wished) * self._throttle)
        place = fraction(trace_id)
        if inclusion <= place < chance:
            self._spent["calls"] += 1.0
        return Decision(place < chance, chance, place)

    def burst(self, stratum: str | None, *, judged: int, expected: float | None = None) -> None:
        """Judge more of a stratum (None: of all) until `judged` records were; `expected` is how many may arrive.

        The probability is min(1, judged / expected), 1 without `expected`, and gives way to a strained budget.
        A burst of the same stratum is replaced.
        """
        chance = min(1.0, judged / expected) if expected is not None and expected > 0.0 else 1.0
        self._bursts["*" if stratum is None else f"={stratum}"] = Burst(judged, chance)

    def spend(self, *, calls: float = 0.0, tokens: float = 0.0, usd: float = 0.0) -> None:
        """What a verdict cost, for the limits; `calls` beyond the one that every judged record is counted for."""
        self._spent["calls"] += max(0.0, calls)
        for name, amount in (("tokens", tokens), ("usd", usd)):
            self._spent[name] += max(0.0, amount)
            self._spent[f"{name}_minute"] += max(0.0, amount)
        cost = Spent(tokens=max(0.0, tokens), usd=max(0.0, usd))
        self._usual = cost if self._usual is None else self._usual * (1.0 - _NEWEST) + cost * _NEWEST

    def state(self) -> SamplerState:
        """All that a restart needs."""
        return SamplerState(
            dict(self._traffic),
            self._days,
            self._boosts,
            dict(self._spent),
            dict(self._bursts),
            self._at,
            self._usual,
        )

    @classmethod
    def restore(
        cls,
        state: SamplerState,
        rate: float,
        budget: Budget | None = None,
        *,
        others: Callable[[], tuple[Spent, Spent]] = _nobody,
        waiting: Callable[[], int] = _none,
    ) -> Sampler:
        """A sampler that goes on where `state` was taken, under another rate or budget if they were changed."""
        sampler = cls(rate, budget, others=others, waiting=waiting)
        sampler._traffic = dict(state.traffic)
        sampler._days = state.days
        sampler._boosts = state.boosts
        sampler._spent |= state.spent
        sampler._bursts = dict(state.bursts)
        sampler._at = state.at
        sampler._usual = state.usual
        sampler._since = _REFRESH_RECORDS  # the first decision computes the probabilities again
        return sampler

    def _refresh(self, at: float) -> None:
        """Forget a little (over a day, by e), and compute every stratum's probability for what comes next."""
        passed = 0.0 if self._at is None else min(max(0.0, at - self._at), 30.0 * _DAY)
        self._at = at if self._at is None else max(at, self._at) if at - self._at > -60.0 else at
        self._since = 0
        keep = math.exp(-passed / _DAY)
        self._days = self._days * keep + (1.0 - keep)
        self._boosts *= keep
        seen = sum(self._traffic.values())
        mean_boost = max(1.0, self._boosts / (seen * keep)) if seen * keep > 100.0 else 1.0
        self._traffic = {name: count * keep for name, count in self._traffic.items() if count * keep > 0.01}
        guessed = _PRIOR_DAYS * (1.0 - self._days)
        per_day = (seen * keep + _PRIOR_PER_DAY * guessed) / (self._days + guessed)
        minute = math.exp(-passed / 60.0)
        for name in self._spent:
            self._spent[name] *= keep if name in ("tokens", "usd") else minute
        wanted = (
            max(self._rate, self._budget.at_least_per_day / max(per_day, 1e-9)) if self._rate > 0.0 else 0.0
        )
        self._throttle = self._strain()
        self._share = min(1.0, wanted) * self._throttle / mean_boost
        names = list(self._traffic)
        chances = allocate(
            [self._traffic[name] for name in names], budget=self._share, floor=self._budget.floor
        )
        self._table = dict(zip(names, np.minimum(chances, 1.0).tolist(), strict=True))

    def _strain(self) -> float:
        """A factor in (0, 1]: 1 below four fifths of every limit, then falling smoothly; never 0."""
        minute, day = self._others()
        day += (self._usual or Spent()) * float(
            self._waiting()
        )  # of the day only: it is paid over many minutes
        spent, budget = self._spent, self._budget
        limits = (
            (spent["calls"] + minute.calls, budget.calls_per_minute),
            (spent["tokens_minute"] + minute.tokens, budget.tokens_per_minute),
            (spent["usd_minute"] + minute.usd, budget.usd_per_minute),
            (spent["tokens"] + day.tokens, budget.tokens_per_day),
            (spent["usd"] + day.usd, budget.usd_per_day),
        )
        used = max((amount / limit for amount, limit in limits if limit is not None), default=0.0)
        return 1.0 if used <= 0.8 else math.exp(-8.0 * (min(used, _MOST_STRAIN) - 0.8))

    def _burst(self, stratum: str, inclusion: float) -> float:
        for name in ("*", f"={stratum}"):
            burst = self._bursts.get(name)
            if burst is not None:
                inclusion = max(inclusion, burst.chance * self._throttle)
        return inclusion

    def _count(self, stratum: str) -> None:
        self._spent["calls"] += 1.0
        for name in ("*", f"={stratum}") if self._bursts else ():
            burst = self._bursts.get(name)
            if burst is not None and burst.left > 1:
                self._bursts[name] = Burst(burst.left - 1, burst.chance)
            elif burst is not None:
                del self._bursts[name]
