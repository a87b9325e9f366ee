"""The order in which jobs are judged: scores before canaries, places by turns, and within one the oldest first."""

from __future__ import annotations

import asyncio
from collections import deque

from ragvigil.scorer.store.port import Job
from ragvigil.scorer.trace import Place

_SHARE = 4
"""Of so many jobs one is a canary, while both wait: a page may wait for its answer, and series for the scores."""


class Turns(asyncio.Queue[Job]):
    """A queue of jobs in which no service or environment waits for all that another has sent before."""

    def _init(self, maxsize: int) -> None:  # noqa: ARG002 - as asyncio calls it
        self._scores: dict[Place, deque[Job]] = {}
        self._canaries: dict[Place, deque[Job]] = {}
        self._passed = 0
        """Scores since the last canary."""

    def _put(self, item: Job) -> None:
        lines = self._scores if item.purpose == "score" else self._canaries
        lines.setdefault(item.record.place, deque()).append(item)

    def _get(self) -> Job:
        if self._canaries and (not self._scores or self._passed >= _SHARE - 1):
            self._passed = 0
            return _first(self._canaries)
        self._passed += 1
        return _first(self._scores)

    def qsize(self) -> int:
        """How many jobs wait."""
        return sum(len(line) for lines in (self._scores, self._canaries) for line in lines.values())

    def empty(self) -> bool:
        """Whether none does."""
        return not self._scores and not self._canaries


def _first(lines: dict[Place, deque[Job]]) -> Job:
    """The oldest job of the place whose turn it is, which then comes behind the others."""
    place = next(iter(lines))
    line = lines.pop(place)
    job = line.popleft()
    if line:
        lines[place] = line
    return job
