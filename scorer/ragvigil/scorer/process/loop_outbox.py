"""The outbox across two threads: the courier's event loop asks, the thread that writes the store answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragvigil.scorer.monitoring import Delivery

if TYPE_CHECKING:
    from ragvigil.scorer.process.scoring_thread import Scoring


class LoopOutbox:
    """The outbox as the courier's event loop sees it: every call runs on the scoring thread."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring

    async def due(self, now: int, limit: int) -> Sequence[Delivery]:
        """Deliveries whose time has come."""

        def look() -> Sequence[Delivery]:
            self._scoring.after_silence.look(now)
            return self._scoring.store.outbox.due(now, limit)

        return await asyncio.wrap_future(self._scoring.call(look))

    async def delivered(self, delivery: int, at: int, reference: str | None) -> None:
        """The channel has it."""
        outbox = self._scoring.store.outbox
        await asyncio.wrap_future(self._scoring.call(lambda: outbox.delivered(delivery, at, reference)))

    async def postponed(self, delivery: int, next_at: int, reason: str) -> None:
        """Try again later."""
        outbox = self._scoring.store.outbox
        await asyncio.wrap_future(self._scoring.call(lambda: outbox.postponed(delivery, next_at, reason)))

    async def resumed(self, channel: str, at: int) -> None:
        """The channel takes messages again."""
        outbox = self._scoring.store.outbox
        await asyncio.wrap_future(self._scoring.call(lambda: outbox.resumed(channel, at)))

    async def refused(self, delivery: int, at: int, reason: str) -> None:
        """Never try again."""
        outbox = self._scoring.store.outbox
        await asyncio.wrap_future(self._scoring.call(lambda: outbox.refused(delivery, at, reason)))
