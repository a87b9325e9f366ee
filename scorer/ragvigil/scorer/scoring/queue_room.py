"""Who may wait for the judge: all while there is room, and where it is scarce each place has an equal share of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from ragvigil.scorer.store.port import Job
from ragvigil.scorer.trace import Place, RagTrace

_RESERVE = 8
"""The part of the room that is for places below their share: or each of their records would push others out."""


class QueueRoom:
    """Counts the records that wait, by service and environment. Used by the writing thread.

    A place below its share is let in whatever the others have; what that takes beyond the room, the largest gives back.
    """

    def __init__(self, most: int) -> None:
        """So many records may wait."""
        self._most = most
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
        places = len(self._counts) + (place not in self._counts)
        return max(0, self._most - kept - len(self), self._most // places - self._counts[place])

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
        """The place with the most records, and the part of them that may stay; None while there is room for all.

        It gives back what is too much, and the reserve, but never what is its share.
        """
        beyond = len(self._jobs) - self._most
        if beyond <= 0 or len(self._counts) < 2:
            return None
        place, count = max(self._counts.items(), key=lambda one: one[1])
        stays = max(count - beyond - self._most // _RESERVE, self._most // len(self._counts))
        return (place, stays / count) if stays < count else None

    def _come(self, place: Place) -> None:
        if len(self._met) < 2:
            self._met.add(place)
        self._counts[place] += 1

    def _go(self, place: Place) -> None:
        self._counts[place] -= 1
        if not self._counts[place]:
            del self._counts[place]

    def _leave(self, key: tuple[int, bytes]) -> None:
        place = self._jobs.pop(key, None)
        if place is not None:
            self._go(place)
