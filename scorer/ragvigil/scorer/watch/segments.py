"""Segments are found in the traffic: the dimension that divides it best, its common values, and `other`.

Traffic changes over months, so both are looked at again every week: a new value gets the room of one that is common no
more, and a dimension that divides the traffic no more, or far worse than another, gives way.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ragvigil.scorer.moments import DAY
from ragvigil.scorer.watch.tallies import Tally, best, dimensions

ENOUGH = 1_000
"""Records after which a dimension is chosen; fewer do after a day."""
WEEK = 7 * DAY
LEAST_A_WEEK = 100
"""Records below which a week says nothing of what is common, and goes on."""
WEEKS = 4
"""In a row in which a value is too rare for a series, or a dimension the wrong one, before another has its room."""
CLEARLY = 1.5
"""Times the entropy of the dimension in use that another must have to be better."""


@dataclass(slots=True)
class Book:
    """Which dimension, and the code of each value that has a series of its own.

    A code is given once: it is part of what is stored of each record, so no other value ever gets it. The detector's
    core has room for `most` segments only, and a code's place there is its remainder by `most`.
    """

    most: int
    dimension: str | None = None
    codes: dict[str, int] = field(default_factory=dict[str, int])
    """Of the values that have a series now."""
    seen: int = 0
    """Records tallied."""
    since: int | None = None
    """Start of the first of them, Unix nanoseconds."""
    tallies: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    named: str | None = None
    """The dimension that the settings name; None where it is found."""
    given: int = 0
    """No code below it is given again."""
    week: Tally = field(default_factory=Tally)
    """Of the week at hand."""
    rare: dict[str, int] = field(default_factory=dict[str, int])
    """Weeks in a row in which a value with a series was not common."""
    outdone: int = 0
    """Weeks in a row in which another dimension was the one to take."""

    def __post_init__(self) -> None:
        """A book that was saved without it has given what it has."""
        self.given = max(self.given, 1 + max(self.codes.values(), default=-1))

    def learn(self, segments: Sequence[str], *, at: int, busy: Collection[int] = ()) -> frozenset[int]:
        """Tally the records of a batch that ended `at`; choose a dimension, or give codes, when enough was seen.

        A dimension is fit when two values at least have 2 % of the records each and such values cover half of
        them; of those that are fit the one with the highest entropy is taken. A value of which there are a million
        never gets there. A value makes room for one that needs it once it was too rare, or half as common as that,
        for four weeks; the dimension gives way when it was not fit, or another clearly better, for as long. `busy` are
        places of the core, `most` for `other` and above it for all traffic, that are in an alarm: those keep what
        they have, and while there is any the dimension stays.

        Returns the places of the core that are to forget all they know: they are another segment's now.
        """
        latest = Tally(self.seen, at if self.since is None else min(self.since, at), self.tallies)
        for segment in segments:
            latest.add(segment)
        if not (latest.seen >= ENOUGH or latest.lasts(1, DAY, at=at)):
            self.seen, self.since = latest.seen, latest.since
            return frozenset()
        if self.dimension is None:
            self.dimension = self.named or best(latest.fit(self.most))
        else:
            self.week.merge(latest)
        void = self._review(at, busy)
        if self.dimension is not None:
            self._give(latest.common(self.dimension, self.most))
        self.seen, self.since, self.tallies = 0, at, {}
        return void

    def code(self, segment: str) -> int:
        """The code of a record's segment; -1 where it shares `other`."""
        if self.dimension is None:
            return -1
        return self.codes.get(dimensions(segment).get(self.dimension, ""), -1)

    def place(self, code: int | None) -> int:
        """Where the core has the segment of a code; -1 for `other`, and for what has none."""
        return -1 if code is None or code < 0 else code % self.most

    def code_at(self, place: int) -> int:
        """The code of the segment that the core has there; -1 for `other`."""
        return next((code for code in self.codes.values() if self.place(code) == place), -1)

    def name(self, code: int | None) -> str | None:
        """``language=de``; None for all traffic, which `other` is as long as no value has a series of its own."""
        if code is None or not self.codes:
            return None
        known = next((value for value, given in self.codes.items() if given == code), None)
        return f"{self.dimension}={known}" if known is not None else "other"

    def _review(self, at: int, busy: Collection[int]) -> frozenset[int]:
        """What is to change, by the week that is over; the places to forget."""
        if self.named and self.dimension != self.named and not busy:
            return self._turn_to(self.named, at)
        if self.dimension is None or not self.week.lasts(LEAST_A_WEEK, WEEK, at=at):
            return frozenset()
        week, self.week = self.week, Tally(since=at)
        fit = week.fit(self.most)
        other = None if self.named else best(fit)
        better = other is not None and fit[other] > CLEARLY * fit.get(self.dimension, 0.0)
        self.outdone = self.outdone + 1 if better else 0
        if other is not None and self.outdone >= WEEKS and not busy:
            return self._turn_to(other, at)
        return self._make_room(week, busy)

    def _turn_to(self, dimension: str, at: int) -> frozenset[int]:
        """Take another dimension: everything that the core knows is of segments that are none any more."""
        self.dimension, self.codes, self.rare, self.outdone = dimension, {}, {}, 0
        self.week = Tally(since=at)
        return frozenset(range(self.most + 1))

    def _make_room(self, week: Tally, busy: Collection[int]) -> frozenset[int]:
        """Let values that were common this week have the room of those that are not any more, the rarest first."""
        assert self.dimension is not None
        counts = week.counts.get(self.dimension, {})
        worth = week.common(self.dimension, self.most, kept=self.codes)
        self.rare = {value: 0 if value in worth else self.rare.get(value, 0) + 1 for value in self.codes}
        ready = [
            value
            for value, code in self.codes.items()
            if self.rare[value] >= WEEKS and self.place(code) not in busy
        ]
        ready.sort(key=lambda value: (counts.get(value, 0), value))
        short = len(self.codes.keys() | worth) - self.most
        gone = [self.codes.pop(value) for value in ready[: max(0, short)]]
        self._give(worth)
        self.rare = {value: weeks for value, weeks in self.rare.items() if value in self.codes}
        return frozenset(map(self.place, gone))

    def _give(self, values: Sequence[str]) -> None:
        """A code that was never given to each value that has none, as long as there is room."""
        for value in values:
            taken = {self.place(code) for code in self.codes.values()}
            free = [place for place in range(self.most) if place not in taken]
            if value not in self.codes and free:
                self.codes[value] = self.given + (free[0] - self.given) % self.most
                self.given = self.codes[value] + 1
