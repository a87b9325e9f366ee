"""The order in which jobs are judged: places take turns, and within one the oldest goes first."""

from __future__ import annotations

import asyncio
from collections import deque

from ragvigil.scorer.store.port import Job
from ragvigil.scorer.trace import Place


class Turns(asyncio.Queue[Job]):
    """A queue of jobs in which no service or environment waits for all that another has sent before."""

    def _init(self, maxsize: int) -> None:  # noqa: ARG002 - as asyncio calls it
        self._lines: dict[Place, deque[Job]] = {}

    def _put(self, item: Job) -> None:
        self._lines.setdefault(item.record.place, deque()).append(item)

    def _get(self) -> Job:
        place = next(iter(self._lines))
        line = self._lines.pop(place)
        job = line.popleft()
        if line:
            self._lines[place] = line  # behind the others
        return job

    def qsize(self) -> int:
        """How many jobs wait."""
        return sum(map(len, self._lines.values()))

    def empty(self) -> bool:
        """Whether none does."""
        return not self._lines
