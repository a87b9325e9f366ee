"""The courier: takes alerts from the outbox to their channels until each one has them."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from ragvigil.exporters import Alert, Outcome
from ragvigil.scorer.monitoring import Delivery, OutboxStore
from ragvigil.scorer.passed_time import was_set_back

_log = logging.getLogger(__name__)

LONGEST_DELAY_SECONDS = 300.0
"""However often a channel failed, it is tried again after this long."""

KEPT_SECONDS = 86_400.0
"""What waits for a channel that is configured no more is kept so long: a deploy that forgot it can be mended."""

NOT_CONFIGURED = "not_configured"
"""Why what waits for such a channel does."""

_FIRST_DELAY_SECONDS = 2.0
_POLL_SECONDS = 1.0
SEND_SECONDS = 240.0
"""Every channel ends a try itself, sooner than this, and knows what became of it; what hangs is cut off here."""

_BATCH = 100
_LAST_WORDS_SECONDS = 5.0


class Channel(Protocol):
    """Where alerts go."""

    async def send(self, alert: Alert, reference: str | None) -> Outcome:
        """Deliver one alert; the same alert may be sent again, so it must carry a stable identity.

        `reference` is what the outcome of the incident's last delivered alert on this channel said, None at the
        first. Failure is an answer, not an exception: whether another try is worth it, and why it failed.
        """
        ...


class Courier:
    """Delivers what is due: each channel on its own, each incident in order, no configured one ever given up.

    At least once: a message that a channel took just before a crash is sent again, with the same dedup key
    and message id. A channel that fails is left alone for a while, longer each time; when it is back, it gets all
    that waits, oldest first. What waits about one incident is one message, for the outbox keeps only the latest.
    """

    def __init__(
        self,
        store: OutboxStore,
        channels: Mapping[str, Channel],
        *,
        now: Callable[[], int] = time.time_ns,
        jitter: random.Random | None = None,
        send_seconds: float = SEND_SECONDS,
    ) -> None:
        self._store = store
        self._channels = channels
        self._now = now
        self._jitter = jitter or random.Random()  # noqa: S311 - spreads retries, keeps no secret
        self._send_seconds = send_seconds
        self._rounds: dict[str, asyncio.Task[None]] = {}
        self._paused_until: dict[str, int] = {}
        self._looked_at = 0
        self._failures: Counter[str] = Counter()
        self._up: set[str] = set()
        self._missed: set[str] = set()
        self._counts: Counter[tuple[str, str, str]] = Counter()

    @property
    def counts(self) -> Mapping[tuple[str, str, str], int]:
        """Attempts by (channel, ``delivered | postponed | refused``, reason)."""
        return self._counts

    async def run(self, stop: asyncio.Event) -> None:
        """Deliver until `stop`; a store that fails is asked again."""
        while not stop.is_set():
            try:
                await self._start_due(self._now())
            except Exception:
                _log.exception("the outbox could not be read; trying again")
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _POLL_SECONDS)
        await self._finish()

    async def deliver_due(self, now: int) -> None:
        """Try everything that is due at `now` once, and return when all of it was answered."""
        await self._start_due(now)
        await asyncio.gather(*self._rounds.values())

    async def _start_due(self, now: int) -> None:
        """Start a round for each channel that has something due and is neither at work nor paused."""
        await self._follow_clock(now)
        busy = {name for name, task in self._rounds.items() if not task.done()}
        due: dict[str, list[Delivery]] = {}
        for delivery in await self._store.due(now, _BATCH):
            due.setdefault(delivery.channel, []).append(delivery)
        for name, deliveries in due.items():
            if name not in busy and self._paused_until.get(name, 0) <= now:
                self._rounds[name] = asyncio.create_task(self._round(name, deliveries))

    async def _follow_clock(self, now: int) -> None:
        """After the clock was set back all that waits is due: by the old time a page would wait as long again."""
        if was_set_back(self._looked_at, now):
            self._paused_until.clear()
            for name in self._channels:
                await self._store.resumed(name, now)
        self._looked_at = now

    async def _round(self, name: str, deliveries: Sequence[Delivery]) -> None:
        """Deliver in order; a channel that failed, or is back, gets no more of this batch, only of the next."""
        for delivery in deliveries:
            try:
                if not await self._deliver(name, delivery):
                    return
            except Exception:
                _log.exception("an outcome for channel %s could not be stored; it will be sent again", name)
                return

    async def _deliver(self, name: str, delivery: Delivery) -> bool:
        """Send one message and write down the outcome; whether the batch goes on."""
        channel = self._channels.get(name)
        if channel is None:
            return await self._keep(name, delivery, self._now())
        outcome = await self._send(name, channel, delivery)
        now = self._now()
        if not outcome.delivered and outcome.retry:
            await self._postpone(name, delivery, outcome, now)
            return False
        if outcome.delivered:
            self._count(name, "delivered", outcome.reason)
            await self._store.delivered(delivery.id, now, outcome.reference)
        else:
            self._count(name, "refused", outcome.reason)
            _log.error("channel %s refused %s: %s", name, delivery.alert.dedup_key, outcome.reason)
            await self._store.refused(delivery.id, now, outcome.reason)
        was_away = name not in self._up and self._failures.pop(name, 0) + delivery.attempts > 0
        self._up.add(name)
        if was_away:
            await self._store.resumed(name, now)
        return not was_away  # if so, the next round begins with the oldest

    async def _keep(self, name: str, delivery: Delivery, now: int) -> bool:
        """Let a message wait for a channel that is configured no more, and drop it after a day; True."""
        reason, alert = NOT_CONFIGURED, delivery.alert
        if now - alert.at.timestamp() * 1e9 >= KEPT_SECONDS * 1e9:
            self._count(name, "refused", reason)
            _log.error("channel %s is not configured: %s was dropped", name, alert.dedup_key)
            await self._store.refused(delivery.id, now, reason)
            return True
        if name not in self._missed:
            self._missed.add(name)
            _log.warning(
                "channel %s is not configured; what waits for it is kept for a day and then dropped", name
            )
        self._count(name, "postponed", reason)
        await self._store.postponed(delivery.id, now + round(LONGEST_DELAY_SECONDS * 1e9), reason)
        return True

    async def _postpone(self, name: str, delivery: Delivery, outcome: Outcome, now: int) -> None:
        """Leave the channel alone by how often it has failed, and this message by how often it has, if longer.

        So a service that is away is asked by one message in minutes, whatever waits; and one message that it never
        answers does not keep the others waiting.
        """
        share, asked = self._jitter.random(), outcome.retry_after or 0.0
        pause = max(share * _ceiling_seconds(self._failures[name]), asked)
        seconds = max(share * _ceiling_seconds(delivery.attempts), pause)
        self._failures[name] += 1
        self._up.discard(name)
        self._count(name, "postponed", outcome.reason)
        _log.warning("channel %s failed (%s); trying again in %.0f s", name, outcome.reason, pause)
        self._paused_until[name] = now + round(pause * 1e9)
        await self._store.postponed(delivery.id, now + round(seconds * 1e9), outcome.reason)

    def delay_seconds(self, attempts: int) -> float:
        """Seconds until the next try after `attempts` earlier ones: exponential, full jitter, at most 300.

        >>> courier = Courier(..., {}, jitter=random.Random(1))
        >>> [round(courier.delay_seconds(attempts)) for attempts in (0, 3, 6, 60)]
        [0, 14, 98, 77]
        """
        return self._jitter.random() * _ceiling_seconds(attempts)

    async def _send(self, name: str, channel: Channel, delivery: Delivery) -> Outcome:
        try:
            async with asyncio.timeout(self._send_seconds):
                return await channel.send(delivery.alert, delivery.reference)
        except TimeoutError:
            return Outcome(delivered=False, retry=True, reason="timeout")
        except Exception as error:
            # Only the type: the text of a foreign exception may hold an address, and an address a secret.
            _log.error("channel %s raised %s", name, type(error).__name__)
            return Outcome(delivered=False, retry=True, reason="error")

    def _count(self, name: str, result: str, reason: str) -> None:
        self._counts[name, result, reason] += 1

    async def _finish(self) -> None:
        """Let what is being sent end, but not for long: it is in the outbox, and will be sent again."""
        if not self._rounds:
            return
        _, late = await asyncio.wait(self._rounds.values(), timeout=_LAST_WORDS_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


def _ceiling_seconds(attempts: int) -> float:
    return min(LONGEST_DELAY_SECONDS, _FIRST_DELAY_SECONDS * 2.0 ** min(attempts, 32))
