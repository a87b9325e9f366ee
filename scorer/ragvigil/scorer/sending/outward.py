"""Everything that leaves the score process but pages: the snapshot for /metrics, OTLP metrics, scores for tools."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING

from ragvigil.exporters import OtlpSend, Sent
from ragvigil.scorer.config import Settings
from ragvigil.scorer.metrics import Measures, file
from ragvigil.scorer.metrics.collect import Collector, Vitals
from ragvigil.scorer.metrics.publish import keep_publishing
from ragvigil.scorer.sending.build import metrics_post, sinks_of
from ragvigil.scorer.sending.otlp_metrics import request_of
from ragvigil.scorer.sending.queue import StoreQueue
from ragvigil.scorer.sending.sender import Sender
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.reading_scores import waiting

if TYPE_CHECKING:
    from ragvigil.scorer.process.scoring_thread import Scoring

_OTLP_METRICS = "otlp_metrics"


class Outward:
    """What runs beside scoring for others to read."""

    def __init__(self, settings: Settings, scoring: Scoring) -> None:
        """Raises ConfigError for a score that nothing gives."""
        self._settings = settings
        self._scoring = scoring
        self._began_at = time.time_ns()
        path = settings.store.path
        self._senders = {
            name: Sender(name, sink, StoreQueue(scoring, path, name, choice))
            for name, (sink, choice) in sinks_of(settings).items()
        }
        self._metrics = metrics_post(settings)
        self._metrics_counts: Counter[str] = Counter()
        self._collector = Collector(settings, self._vitals)

    def tasks(self, stop: asyncio.Event) -> list[asyncio.Task[None]]:
        """Start everything that the settings want; it ends with `stop`."""
        settings = self._settings
        made = [asyncio.create_task(sender.run(stop)) for sender in self._senders.values()]
        if settings.metrics.enabled:
            every = settings.metrics.every_seconds
            publishing = keep_publishing(self._collector.collect, self._write, every_seconds=every, stop=stop)
            made.append(asyncio.create_task(publishing))
        if self._metrics is not None:
            post, every = self._metrics, settings.export.otlp.metrics_seconds

            async def send(measures: Measures) -> None:
                await self._send(post, measures)

            collector = Collector(settings, self._vitals)  # each is used by one thread at a time
            publishing = keep_publishing(collector.collect, send, every_seconds=every, stop=stop)
            made.append(asyncio.create_task(publishing))
        return made

    def close(self) -> None:
        """Once the tasks have ended: nobody tells any more."""
        with suppress(OSError):
            file.remove(self._settings.inbox_path)

    async def _write(self, measures: Measures) -> None:
        await asyncio.to_thread(file.write, self._settings.inbox_path, measures)

    async def _send(self, post: OtlpSend, measures: Measures) -> None:
        """One request with what is true now; one that is not taken is not kept, for the next says more."""
        body = request_of(measures, version=version("ragvigil"), began_at=self._began_at)
        sent: Sent = await post.send(body)
        self._metrics_counts[f"attempts.{sent.reason or 'delivered'}"] += 1
        if not sent.delivered:
            raise ConnectionError(f"export to otlp: {sent.reason}")

    def _vitals(self) -> Vitals:
        return replace(self._scoring.vitals(), sinks=self._sinks())

    def _sinks(self) -> Mapping[str, Mapping[str, int]]:
        """What became of scores, by sink."""
        if not self._senders and self._metrics is None:
            return {}
        found: dict[str, dict[str, int]] = {name: dict(one.counts) for name, one in self._senders.items()}
        with closing(open_for_reading(self._settings.store.path)) as connection:
            for name, (held, dropped) in waiting(connection).items():
                if name in found:
                    found[name] |= {"waiting": held, "dropped": dropped}
        if self._metrics is not None:
            found[_OTLP_METRICS] = dict(self._metrics_counts)
        return found
