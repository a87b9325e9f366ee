"""How often each value of each dimension is seen, in bounded memory, and which dimension divides the traffic."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

from pydantic import TypeAdapter

_LEAST_SHARE = 0.02
_LEAST_COVERED = 0.5
_MOST_DIMENSIONS = 16
_MOST_VALUES = 400
_KEPT_TIMES = 2
"""Times its count for which a value that has a series stands, so that two that are as common do not take turns."""
_SEGMENT = TypeAdapter(dict[str, str])


@dataclass(slots=True)
class Tally:
    """Counts of some stretch of time. Memory is bounded: rare values of a long list are forgotten."""

    seen: int = 0
    """Records."""
    since: int | None = None
    """Where the stretch begins, Unix nanoseconds."""
    counts: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    """By dimension and value."""

    def add(self, segment: str) -> None:
        """Count one record's dimensions."""
        self.seen += 1
        for name, value in dimensions(segment).items():
            self._count(name, value, 1)

    def merge(self, other: Tally) -> None:
        """Count all that the other did."""
        self.since = (
            other.since if self.since is None or other.since is None else min(self.since, other.since)
        )
        self.seen += other.seen
        for name, counts in other.counts.items():
            for value, count in counts.items():
                self._count(name, value, count)

    def lasts(self, records: int, nanoseconds: int, *, at: int) -> bool:
        """Whether it has as many records, and began as long before `at`."""
        return self.seen >= records and self.since is not None and at - self.since >= nanoseconds

    def common(self, name: str, most: int, *, kept: Collection[str] = ()) -> list[str]:
        """At most so many values with 2 % of all records, most common first; those `kept` before others less than
        twice as common."""
        counts = self.counts.get(name, {})
        found = [value for value, count in counts.items() if count >= _LEAST_SHARE * self.seen]
        rank = {value: counts[value] * (_KEPT_TIMES if value in kept else 1) for value in found}
        return sorted(found, key=lambda value: (-rank[value], value))[:most]

    def fit(self, most: int) -> dict[str, float]:
        """The entropy of each dimension that is fit for segments: two values at least have 2 % of the records each,
        and such values cover half of them."""
        return {name: self._entropy(name, most) for name in sorted(self.counts) if self._covers(name, most)}

    def _count(self, name: str, value: str, count: int) -> None:
        if name not in self.counts and len(self.counts) >= _MOST_DIMENSIONS:
            return
        counts = self.counts.setdefault(name, {})
        counts[value] = counts.get(value, 0) + count
        if len(counts) > _MOST_VALUES:
            for one in sorted(counts, key=lambda one: (-counts[one], one))[_MOST_VALUES // 2 :]:
                del counts[one]

    def _covers(self, name: str, most: int) -> bool:
        common = self.common(name, most)
        covered = sum(self.counts[name][value] for value in common)
        return len(common) > 1 and covered >= _LEAST_COVERED * self.seen

    def _entropy(self, name: str, most: int) -> float:
        shares = (self.counts[name][value] / self.seen for value in self.common(name, most))
        return round(-sum(share * math.log(share) for share in shares), 6)


def best(fit: dict[str, float]) -> str | None:
    """The dimension with the highest entropy; None where none is fit."""
    return max(fit, key=lambda name: (fit[name], name)) if fit else None


def dimensions(segment: str) -> dict[str, str]:
    """Of a record, from the JSON that it carries them as."""
    return _SEGMENT.validate_json(segment)
