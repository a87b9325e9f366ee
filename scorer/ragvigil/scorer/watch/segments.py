"""Segments are found in the traffic: the dimension that divides it best, its common values, and `other`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from ragvigil.scorer.moments import DAY

ENOUGH = 1_000
"""Records after which a dimension is chosen; fewer do after a day."""
_LEAST_SHARE = 0.02
_LEAST_COVERED = 0.5
_MOST_DIMENSIONS = 16
_MOST_VALUES = 400
_SEGMENT = TypeAdapter(dict[str, str])


@dataclass(slots=True)
class Book:
    """Which dimension, and the code of each value that has a series of its own. Codes are given once."""

    most: int
    dimension: str | None = None
    codes: dict[str, int] = field(default_factory=dict[str, int])
    seen: int = 0
    """Records tallied."""
    since: int | None = None
    """Start of the first of them, Unix nanoseconds."""
    tallies: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])

    def learn(self, segments: Sequence[str], *, at: int) -> None:
        """Tally the records of a batch that ended `at`; choose a dimension, or give codes, when enough was seen.

        A dimension is fit when two values at least have 2 % of the records each and such values cover half of
        them; of those that are fit the one with the highest entropy is taken. A value of which there are a million
        never gets there. Memory is bounded: rare values of a long list are forgotten.
        """
        self.since = at if self.since is None else self.since
        for segment in segments:
            self._tally(segment)
        if self.seen < ENOUGH and (not self.seen or at - self.since < DAY):
            return
        if self.dimension is None:
            fit = [(self._entropy(name), name) for name in sorted(self.tallies) if self._covers(name)]
            self.dimension = max(fit)[1] if fit else None
        if self.dimension is not None:
            for value in self._common(self.dimension):
                if len(self.codes) < self.most:
                    self.codes.setdefault(value, len(self.codes))
        self.seen, self.since, self.tallies = 0, at, {}

    def code(self, segment: str) -> int:
        """The code of a record's segment; -1 where it shares `other`."""
        if self.dimension is None:
            return -1
        return self.codes.get(_dimensions(segment).get(self.dimension, ""), -1)

    def name(self, code: int | None) -> str | None:
        """``language=de``; None for all traffic."""
        if code is None:
            return None
        known = next((value for value, given in self.codes.items() if given == code), None)
        return f"{self.dimension}={known}" if known is not None else "other"

    def _tally(self, segment: str) -> None:
        self.seen += 1
        for name, value in _dimensions(segment).items():
            if name not in self.tallies and len(self.tallies) >= _MOST_DIMENSIONS:
                continue
            counts = self.tallies.setdefault(name, {})
            counts[value] = counts.get(value, 0) + 1
            if len(counts) > _MOST_VALUES:
                kept = sorted(counts, key=lambda one: (-counts[one], one))[: _MOST_VALUES // 2]
                self.tallies[name] = {one: counts[one] for one in kept}

    def _common(self, name: str) -> list[str]:
        """Values with their share of all records, most common first."""
        counts = self.tallies.get(name, {})
        found = [value for value, count in counts.items() if count >= _LEAST_SHARE * self.seen]
        return sorted(found, key=lambda value: (-counts[value], value))[: self.most]

    def _covers(self, name: str) -> bool:
        common = self._common(name)
        covered = sum(self.tallies[name][value] for value in common)
        return len(common) > 1 and covered >= _LEAST_COVERED * self.seen

    def _entropy(self, name: str) -> float:
        shares: Iterable[float] = (self.tallies[name][value] / self.seen for value in self._common(name))
        return round(-sum(share * math.log(share) for share in shares), 6)


def _dimensions(segment: str) -> dict[str, str]:
    return _SEGMENT.validate_json(segment)
