"""Who may wait for the judge: all while there is room, and where it is scarce each place has a share of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable

from ragvigil.scorer.monitoring import told_everywhere
from ragvigil.scorer.store.port import Job
from ragvigil.scorer.trace import Place, RagTrace

_RESERVE = 8
"""The part of the room that is for places below their share: or each of their records would push others out."""
_WEIGHT = 8
"""Shares of a place of which somebody is told: sixty previews are not to leave production a sixtieth."""


class QueueRoom:
    """Counts the records that wait, by service and environment. Used by the writing thread.

    A place below its share is let in whatever the others have; what that takes beyond the room, the largest gives back.
    """

    def __init__(self, most: int, told: Callable[[Place], bool] = told_everywhere) -> None:
        """So many records may wait; `told` says of which places somebody is told."""
        self._most = most
        self._told = told
        self._shares = 0
        """Of all places that wait."""
        self._jobs: dict[tuple[int, bytes], Place] = {}
        self._drawn: list[Place] = []
        """Places of records that the store does not have yet."""
        self._counts = Counter[Place]()
        self._met = set[Place]()
        """The first two: one that was always alone has all the room."""

    def __len__(self) -> int:
        return len(self._jobs) + len(self._drawn)

    def left(self, place: Place) -> int:
        """How many records more of that place may wait."""
        kept = self._most // _RESERVE if len(self._met | {place}) > 1 else 0
        return max(0, self._most - kept - len(self), self._share(place) - self._counts[place])

    def draw(self, record: RagTrace) -> None:
        """Count a record that is not stored yet, until `stored`."""
        place = record.place
        self._drawn.append(place)
        self._come(place)

    def stored(self) -> None:
        """What was drawn is stored, and counted as a job, or comes again."""
        for place in self._drawn:
            self._go(place)
        self._drawn = []

    def add(self, jobs: Iterable[Job]) -> None:
        """Count these."""
        for job in jobs:
            self._leave((job.record_id, job.input_hash))
            self._jobs[job.record_id, job.input_hash] = place = job.record.place
            self._come(place)

    def remove(self, jobs: Iterable[Job]) -> None:
        """These are answered."""
        for job in jobs:
            self._leave((job.record_id, job.input_hash))

    def expire(self, records: Collection[int]) -> None:
        """Nobody waits for these records any more."""
        gone = frozenset(records)
        for key in [key for key in self._jobs if key[0] in gone]:
            self._leave(key)

    def crowded(self) -> tuple[Place, float] | None:
        """The place with the most records for its share, and the part of them that may stay; None while there is room.

        It gives back what is too much, and the reserve, but never what is its share.
        """
        beyond = len(self._jobs) - self._most
        if beyond <= 0 or len(self._counts) < 2:
            return None
        place, count = max(self._counts.items(), key=lambda one: one[1] / self._weight(one[0]))
        stays = max(count - beyond - self._most // _RESERVE, self._share(place))
        return (place, stays / count) if stays < count else None

    def _weight(self, place: Place) -> int:
        return _WEIGHT if self._told(place) else 1

    def _share(self, place: Place) -> int:
        weight = self._weight(place)
        return self._most * weight // (self._shares + (0 if place in self._counts else weight))

    def _come(self, place: Place) -> None:
        if len(self._met) < 2:
            self._met.add(place)
        if place not in self._counts:
            self._shares += self._weight(place)
        self._counts[place] += 1

    def _go(self, place: Place) -> None:
        self._counts[place] -= 1
        if not self._counts[place]:
            del self._counts[place]
            self._shares -= self._weight(place)

    def _leave(self, key: tuple[int, bytes]) -> None:
        place = self._jobs.pop(key, None)
        if place is not None:
            self._go(place)
