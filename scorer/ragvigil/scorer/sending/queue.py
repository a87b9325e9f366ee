"""What waits for a tool, read over a connection of its own and noted by the thread that writes the store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from ragvigil.exporters import ScoredAnswer
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.reading_scores import Choice, changes, scored_answers

if TYPE_CHECKING:
    from ragvigil.scorer.process.scoring_thread import Scoring


class StoreQueue:
    """The queue of one tool. Reading asks nothing of the scoring thread; only what was taken is told to it."""

    def __init__(self, scoring: Scoring, path: Path, sink: str, choice: Choice) -> None:
        self._scoring = scoring
        self._path = path
        self._sink = sink
        self._choice = choice

    async def read(self, limit: int) -> tuple[int, Sequence[ScoredAnswer]] | None:
        """The oldest changes that it has not taken."""
        return await asyncio.to_thread(self._read, limit)

    async def reached(self, last: int) -> None:
        """It has them."""
        outgoing = self._scoring.store.outgoing
        await asyncio.wrap_future(self._scoring.call(lambda: outgoing.reached(self._sink, last)))

    def _read(self, limit: int) -> tuple[int, Sequence[ScoredAnswer]] | None:
        with closing(open_for_reading(self._path)) as connection:
            connection.execute("BEGIN")
            found = changes(connection, self._sink, limit)
            return (found[-1].seq, scored_answers(connection, found, self._choice)) if found else None
