"""Sources into the same intake as both servers: the same limits, inbox, back-pressure and counters."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

from ragvigil.scorer.receive.intake import Intake
from ragvigil.scorer.receive.refusal import Refusal
from ragvigil.scorer.receive.settings import Receiving
from ragvigil.scorer.sources.source import Batch, Source

logger = logging.getLogger(__name__)

_MOST_NAMED = 100
"""Unreadable lines that are told one by one in a process's life; all are counted."""


def _files(settings: Receiving) -> Source:
    from ragvigil.scorer.sources.follow import FollowedFiles
    from ragvigil.scorer.sources.positions import Positions

    return FollowedFiles(settings.files, Positions(settings.inbox), max_bytes=settings.max_body_bytes)


def _stdin(settings: Receiving) -> Source:
    from ragvigil.scorer.sources.stdin import StandardInput

    return StandardInput(max_bytes=settings.max_body_bytes)


SOURCES: Mapping[str, Callable[[Receiving], Source]] = {"files": _files, "stdin": _stdin}
"""The source of each setting; loaded only when it is configured, for it costs memory."""


def _sources_of(settings: Receiving) -> list[Source]:
    """The sources that are configured."""
    return [make(settings) for name, make in SOURCES.items() if getattr(settings, name)]


@asynccontextmanager
async def feeding(settings: Receiving, intake: Intake, stop: asyncio.Event) -> AsyncGenerator[None]:
    """The configured sources feed `intake` until `stop`, which comes before the end of the block."""
    poll = settings.poll_seconds
    feeds = [Feed(source, intake, poll_seconds=poll) for source in _sources_of(settings)]
    tasks = [asyncio.create_task(feed.run(stop)) for feed in feeds]
    try:
        yield
    finally:
        await asyncio.gather(*tasks)


class Feed:
    """Takes from one source until `stop`. A batch is acked when it is durable, or can never be."""

    def __init__(self, source: Source, intake: Intake, *, poll_seconds: float) -> None:
        self._source = source
        self._intake = intake
        self._poll_seconds = poll_seconds
        self._named = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Feed until `stop`; whatever fails is told and tried again."""
        while not stop.is_set():
            try:
                worked = await self._step(stop)
            except Exception:
                logger.exception("source %s failed; trying again", self._source.name)
                worked = False
            if not worked:
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), self._poll_seconds)

    async def _step(self, stop: asyncio.Event) -> bool:
        batches: Sequence[Batch] = await asyncio.to_thread(self._source.batches)
        if not all(await asyncio.gather(*(self._take(batch, stop) for batch in batches))):
            return False
        await asyncio.to_thread(self._source.ack)
        return bool(batches)

    async def _take(self, batch: Batch, stop: asyncio.Event) -> bool:
        """Whether the batch is durable, or never will be; False when `stop` came before."""
        counters = self._intake.counters
        if batch.problem is not None:
            self._refuse(batch, Refusal.malformed(batch.problem))
            return True
        if batch.signal is None:
            counters.ignored["metrics_requests"] += 1
            return True
        counters.requests[f"{self._source.name} {batch.signal.kind}"] += 1
        while not stop.is_set():
            try:
                with self._intake.hold() as held:
                    held.grow(len(batch.body))
                    decoded = await self._intake.take(
                        batch.body, signal=batch.signal, encoding=batch.encoding, coding=None, held=held
                    )
            except Refusal as refusal:
                if refusal.retry_seconds is None:
                    self._refuse(batch, refusal)
                    return True
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), refusal.retry_seconds)
            except Exception:
                logger.exception("%s could not be taken; trying again", batch.place)
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), self._poll_seconds)
            else:
                rejection = decoded.rejection(batch.signal)
                if rejection is not None:
                    self._name(batch, rejection)
                return True
        return False

    def _refuse(self, batch: Batch, refusal: Refusal) -> None:
        self._intake.refused(refusal)
        self._name(batch, str(refusal))

    def _name(self, batch: Batch, problem: str) -> None:
        self._named += 1
        if self._named <= _MOST_NAMED:
            logger.warning("%s: %s", batch.place, problem)
        elif self._named == _MOST_NAMED + 1:
            logger.warning("source %s: more that cannot be read is only counted", self._source.name)
