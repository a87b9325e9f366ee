"""Designed sampling as records arrive: a budget, strata, bursts, and more of what is informative.

Every probability depends only on what was seen before the record (its own signals aside), and is stored with it
before any verdict; so the mean that weights by its inverse is unbiased whatever the budget did meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ragvigil.scorer.monitoring import told_everywhere
from ragvigil.scorer.sample.allocate import allocate
from ragvigil.scorer.sample.budget import (
    DAY,
    Budget,
    Pressure,
    Spent,
    factor_of,
    guess,
    guess_of_a_minute,
    left_after,
    pressures,
    share_of_limits,
)
from ragvigil.scorer.sample.draw import Decision, fraction
from ragvigil.scorer.sample.strata import Waiting, nowhere_ill
from ragvigil.scorer.trace import Place

OTHER = "other"
"""The stratum of every segment beyond `most_strata`: drawn as often as all are together, for who is in it changes."""

_PRIOR_DAYS = 1.0 / 24.0
_PRIOR_PER_DAY = 10_000.0
"""Traffic assumed of a service never seen before, worth an hour of seeing it, and less from then on."""
_REFRESH_RECORDS = 1_000
_REFRESH_SECONDS = 5.0
_SPENT: tuple[str, ...] = ("calls", "drawn", "wished", "tokens", "usd", "tokens_minute", "usd_minute")
_NEWEST = 0.05
"""Weight of the newest verdict in what one usually costs."""
_LOOKS = 20.0
"""Into so many parts a limit is divided: after each it is looked at anew, or a surge is over before."""


def _nobody() -> tuple[Spent, Spent]:
    return Spent(), Spent()


def _none() -> int:
    return 0


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
    pressures: tuple[Pressure, ...] = ()
    """How near each limit was when this was taken."""
    pressures_at: float | None = None
    """When that was, on the clock of `at`; None where nobody asked."""
    last: dict[str, float] = field(default_factory=dict[str, float])
    """When each stratum's last record came, on the clock of `at`."""


class Sampler:
    """Decides one record at a time; all that it remembers is in `state`."""

    def __init__(
        self,
        rate: float,
        budget: Budget | None = None,
        *,
        others: Callable[[], tuple[Spent, Spent]] = _nobody,
        waiting: Callable[[], int] = _none,
        told: Callable[[Place], bool] = told_everywhere,
        ill: Callable[[], Collection[Place]] = nowhere_ill,
    ) -> None:
        """`others` says what was spent in about a minute, and in about a day, beside what `spend` is told of.

        `waiting` says how many drawn records have no verdict yet; each will cost what one usually does.
        `told` says of which places somebody is told, and `ill` which have an open incident: where there are more strata
        than `most_strata`, theirs come first.
        """
        self._others = others
        self._waiting = waiting
        self._usual: Spent | None = None
        self._rate = rate
        self._budget = budget or Budget()
        self._strata = Waiting(self._budget.most_strata, told=told, ill=ill)
        self._table: dict[str, float] = {}
        self._share = rate
        self._traffic: dict[str, float] = {}
        self._last: dict[str, float] = {}
        self._days = 0.0
        self._boosts = 0.0
        self._spent: dict[str, float] = dict.fromkeys(_SPENT, 0.0)
        self._bursts: dict[str, Burst] = {}
        self._at: float | None = None
        self._since = 0
        self._near = 0.0
        """What was drawn since the last look, as a share of the tightest limit."""
        self._step = 0.0
        self._throttle = 1.0

    def decide(
        self,
        trace_id: str,
        stratum: str = "",
        *,
        place: Place | None = None,
        at: float = 0.0,
        informative: bool = False,
        room: bool = True,
    ) -> Decision:
        """Whether a record of `stratum` that arrives `at` (seconds, any clock) is judged, and its probability.

        The draw is the published hash, so the same record under the same probability is decided the same
        everywhere, and a higher probability judges whoever a lower one does. Without `room` in the judge's queue it
        is drawn, but will not be judged, and so takes nothing of any budget. `place` is where the stratum is.
        """
        if self._is_due(at):
            self._refresh(at)
        if stratum not in self._last and len(self._last) >= self._budget.most_strata:
            self._strata.came(stratum, place)
            stratum = OTHER
        else:
            self._strata.has_its_own(stratum, place)
            self._last[stratum] = at
        boost = self._budget.informative if informative else 1.0
        self._since += 1
        self._traffic[stratum] = self._traffic.get(stratum, 0.0) + 1.0
        self._boosts += boost
        inclusion = min(1.0, self._table.get(stratum, self._share) * boost) if self._rate > 0.0 else 0.0
        if self._bursts:
            inclusion = self._burst(stratum, inclusion)
        drawn_at = fraction(trace_id)
        judged = drawn_at < inclusion
        if room:
            self._spent["wished"] += min(1.0, inclusion / self._throttle)
            if judged:
                self._count(stratum)
        return Decision(judged, inclusion, drawn_at, stratum)

    def redraw(self, trace_id: str, inclusion: float, wished: float) -> Decision:
        """The decision on a record that was drawn with `inclusion`, now that its kind deserves `wished`.

        The draw nests, so that whoever was judged stays judged and the probability of being judged is the higher of
        the two, less where a limit on calls is near. `wished` may depend on anything but the record's own verdict.
        """
        chance = max(inclusion, min(1.0, wished) * self._throttle)
        place = fraction(trace_id)
        self._spent["wished"] += max(0.0, min(1.0, wished) - inclusion)
        if inclusion <= place < chance:
            self._draw()
        return Decision(place < chance, chance, place)

    def burst(self, stratum: str | None, *, judged: int, expected: float | None = None) -> None:
        """Judge more of a stratum (None: of all) until `judged` records were; `expected` is how many may arrive.

        The probability is min(1, judged / expected), 1 without `expected`, and gives way to a strained budget.
        A burst of the same stratum is replaced.
        """
        chance = min(1.0, judged / expected) if expected is not None and expected > 0.0 else 1.0
        self._bursts["*" if stratum is None else f"={stratum}"] = Burst(judged, chance)

    def spend(self, *, calls: float = 0.0, tokens: float = 0.0, usd: float = 0.0) -> None:
        """What was spent, for the limits; `calls` beyond the one that every judged record is counted for."""
        self._call(max(0.0, calls))
        for name, amount in (("tokens", tokens), ("usd", usd)):
            self._spent[name] += max(0.0, amount)
            self._spent[f"{name}_minute"] += max(0.0, amount)

    def learn(self, *, tokens: float = 0.0, usd: float = 0.0) -> None:
        """What one verdict cost: so much each of those that wait will, too."""
        cost = Spent(tokens=max(0.0, tokens), usd=max(0.0, usd))
        self._usual = cost if self._usual is None else self._usual * (1.0 - _NEWEST) + cost * _NEWEST

    def pressures(self, at: float) -> tuple[Pressure, ...]:
        """How near each limit is at that moment; from any thread."""
        minute, day = left_after(self._passed(at))
        return self._pressures(minute=minute, day=day)

    def state(self, at: float | None = None) -> SamplerState:
        """All that a restart needs; with `at`, also how near the limits are at that moment."""
        return SamplerState(
            dict(self._traffic),
            self._days,
            self._boosts,
            dict(self._spent),
            dict(self._bursts),
            self._at,
            self._usual,
            () if at is None else self.pressures(at),
            at,
            dict(self._last),
        )

    def go_back_to(self, state: SamplerState) -> None:
        """Forget what was decided since: it came to nothing, and will be decided again."""
        self._traffic = dict(state.traffic)
        self._last = {name: state.last.get(name, state.at or 0.0) for name in state.traffic if name != OTHER}
        self._days = state.days
        self._boosts = state.boosts
        self._spent = dict.fromkeys(_SPENT, 0.0) | state.spent
        self._bursts = dict(state.bursts)
        self._at = state.at
        self._usual = state.usual
        self._since = _REFRESH_RECORDS  # the next decision computes the probabilities again

    @classmethod
    def restore(
        cls,
        state: SamplerState,
        rate: float,
        budget: Budget | None = None,
        *,
        others: Callable[[], tuple[Spent, Spent]] = _nobody,
        waiting: Callable[[], int] = _none,
        told: Callable[[Place], bool] = told_everywhere,
        ill: Callable[[], Collection[Place]] = nowhere_ill,
    ) -> Sampler:
        """A sampler that goes on where `state` was taken, under another rate or budget if they were changed."""
        sampler = cls(rate, budget, others=others, waiting=waiting, told=told, ill=ill)
        sampler.go_back_to(state)
        return sampler

    def _refresh(self, at: float) -> None:
        """Forget a little (over a day, by e), and compute every stratum's probability for what comes next."""
        minute, keep = left_after(self._passed(at))
        self._at = at if self._at is None else max(at, self._at) if at - self._at > -60.0 else at
        self._since, self._near = 0, 0.0
        self._days = self._days * keep + (1.0 - keep)
        self._boosts *= keep
        seen = sum(self._traffic.values())
        mean_boost = max(1.0, self._boosts / (seen * keep)) if seen * keep > 100.0 else 1.0
        self._traffic = {name: count * keep for name, count in self._traffic.items() if count * keep > 0.01}
        guessed = _PRIOR_DAYS * (1.0 - self._days)
        per_day = (seen * keep + _PRIOR_PER_DAY * guessed) / (self._days + guessed)
        for name in self._spent:
            self._spent[name] *= keep if name in ("tokens", "usd") else minute
        wanted = (
            max(self._rate, self._budget.at_least_per_day / max(per_day, 1e-9)) if self._rate > 0.0 else 0.0
        )
        self._throttle = factor_of(self._pressures())
        minute_each, day_each = self._verdict()
        self._step = share_of_limits(self._budget, minute=minute_each, day=day_each)
        self._share = min(1.0, wanted) * self._throttle / mean_boost
        self._let_go()
        self._swap(keep)
        names = [name for name in self._traffic if name != OTHER]
        chances = allocate(
            [self._traffic[name] for name in names], budget=self._share, floor=self._budget.floor
        )
        self._table = dict(zip(names, np.minimum(chances, 1.0).tolist(), strict=True))

    def _let_go(self) -> None:
        """Where there is no place for another stratum, free those of which nothing came for a day.

        Their records count on among the others, so that the traffic of all stays what it is.
        """
        self._last = {name: last for name, last in self._last.items() if name in self._traffic}
        if len(self._last) < self._budget.most_strata:
            return
        now = self._at or 0.0
        for name in [name for name, last in self._last.items() if now - last > DAY]:
            del self._last[name]
            self._traffic[OTHER] = self._traffic.get(OTHER, 0.0) + self._traffic.pop(name, 0.0)

    def _swap(self, keep: float) -> None:
        """Give the places of strata that rank low to those without one that rank higher, with their records."""
        own = {name: self._traffic.get(name, 0.0) for name in self._last}
        for gains, loses, records in self._strata.swaps(own, keep):
            del self._last[loses]
            self._last[gains] = self._at or 0.0
            others = self._traffic.get(OTHER, 0.0)
            self._traffic[gains] = min(records, others)
            self._traffic[OTHER] = others - self._traffic[gains] + self._traffic.pop(loses, 0.0)

    def _is_due(self, at: float) -> bool:
        return (
            self._at is None
            or self._since >= _REFRESH_RECORDS
            or at - self._at >= _REFRESH_SECONDS
            or self._near * _LOOKS >= 1.0
        )

    def _passed(self, at: float) -> float:
        """Seconds since the last look; a clock that was set back says 0."""
        return 0.0 if self._at is None else min(max(0.0, at - self._at), 30.0 * DAY)

    def _pressures(self, *, minute: float = 1.0, day: float = 1.0) -> tuple[Pressure, ...]:
        """How near each limit is, when such shares are left of what was spent at the last look."""
        others_minute, others_day = self._others()
        spent = self._spent
        ours = Spent(tokens=spent["tokens"], usd=spent["usd"])
        ours_minute = Spent(spent["calls"], spent["tokens_minute"], spent["usd_minute"])
        minute_each, day_each = self._verdict()
        waits = day_each * float(self._waiting())  # paid over many minutes: of the day only
        return pressures(
            self._budget,
            minute=ours_minute * minute + others_minute,
            day=ours * day + others_day + waits,
            drawn=spent["drawn"] * minute,
            wished=spent["wished"] * minute,
            elsewhere=others_minute.calls,
            each=minute_each,
        )

    def _verdict(self) -> tuple[Spent, Spent]:
        """What one will cost of a minute and of a day; before the first nobody knows, and few are drawn until then."""
        if self._usual is not None:
            return self._usual, self._usual
        return guess_of_a_minute(self._budget), guess(self._budget)

    def _draw(self) -> None:
        self._spent["drawn"] += 1.0
        self._call(1.0)

    def _call(self, calls: float) -> None:
        self._spent["calls"] += calls
        self._near += self._step * calls

    def _burst(self, stratum: str, inclusion: float) -> float:
        for name in ("*", f"={stratum}"):
            burst = self._bursts.get(name)
            if burst is not None:
                inclusion = max(inclusion, burst.chance * self._throttle)
        return inclusion

    def _count(self, stratum: str) -> None:
        self._draw()
        for name in ("*", f"={stratum}") if self._bursts else ():
            burst = self._bursts.get(name)
            if burst is not None and burst.left > 1:
                self._bursts[name] = Burst(burst.left - 1, burst.chance)
            elif burst is not None:
                del self._bursts[name]
