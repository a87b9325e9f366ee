"""The order in which jobs are judged: who pages first, scores before canaries, places by turns, the oldest first."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from ragvigil.scorer.monitoring import told_everywhere
from ragvigil.scorer.store.port import Job
from ragvigil.scorer.trace import Place

_SHARE = 4
"""Of so many jobs one is a canary, while both wait: a page may wait for its answer, and series for the scores. Of so
many scores one is of a place of which nobody is told, while both wait."""


class Turns(asyncio.Queue[Job]):
    """A queue of jobs in which no service or environment waits for all that another has sent before."""

    def __init__(self, told: Callable[[Place], bool] = told_everywhere) -> None:
        """`told` says of which places somebody is told."""
        super().__init__()
        self._is_told = told

    def _init(self, maxsize: int) -> None:  # noqa: ARG002 - as asyncio calls it
        self._told: dict[Place, deque[Job]] = {}
        self._untold: dict[Place, deque[Job]] = {}
        self._canaries: dict[Place, deque[Job]] = {}
        self._scores_passed = self._told_passed = 0
        """Scores since the last canary, and of places that are told since the last of others."""

    def _put(self, item: Job) -> None:
        place = item.record.place
        lines = self._told if self._is_told(place) else self._untold
        lines = lines if item.purpose == "score" else self._canaries
        lines.setdefault(place, deque()).append(item)

    def _get(self) -> Job:
        if self._canaries and (not (self._told or self._untold) or self._scores_passed >= _SHARE - 1):
            self._scores_passed = 0
            return _first(self._canaries)
        self._scores_passed += 1
        if self._untold and (not self._told or self._told_passed >= _SHARE - 1):
            self._told_passed = 0
            return _first(self._untold)
        self._told_passed += 1
        return _first(self._told)

    def qsize(self) -> int:
        """How many jobs wait."""
        every = (self._told, self._untold, self._canaries)
        return sum(len(line) for lines in every for line in lines.values())

    def empty(self) -> bool:
        """Whether none does."""
        return not (self._told or self._untold or self._canaries)


def _first(lines: dict[Place, deque[Job]]) -> Job:
    """The oldest job of the place whose turn it is, which then comes behind the others."""
    place = next(iter(lines))
    line = lines.pop(place)
    job = line.popleft()
    if line:
        lines[place] = line
    return job
