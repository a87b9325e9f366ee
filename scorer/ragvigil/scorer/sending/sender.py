"""Takes scores from the store's queue to one tool, in order, for as long as it takes.

What a tool has taken is noted in the store, so a restart goes on where it was; what it took just before a crash is
sent again, under the same ids. A tool that is away costs a try now and then, a counter, and a log line a minute.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from ragvigil.exporters import ScoredAnswer, Sent

_log = logging.getLogger(__name__)

_FIRST_DELAY_SECONDS = 1.0
_LONGEST_DELAY_SECONDS = 60.0
_BATCH = 200
_POLL_SECONDS = 1.0
_LOG_SECONDS = 60.0
_STUCK_TRIES = 10
"""So often a tool may fail at one score while it takes others: then it is the score's fault, not an outage. So often it
may fail at a whole batch before the batch is halved."""


class ScoreSink(Protocol):
    """A tool that takes scores."""

    async def send(self, answers: Sequence[ScoredAnswer]) -> Sent:
        """Hand over the answers' scores; the same may come again, under the same ids. Failure is an answer."""
        ...


class Queue(Protocol):
    """What waits for one tool."""

    async def read(self, limit: int) -> tuple[int, Sequence[ScoredAnswer]] | None:
        """The oldest changes, `limit` at most: the number of the last one, and the answers; None when there is none."""
        ...

    async def reached(self, last: int) -> None:
        """The tool has what `read` gave up to that number, or will never take it."""
        ...


class Sender:
    """Keeps one tool supplied."""

    def __init__(
        self,
        name: str,
        sink: ScoreSink,
        queue: Queue,
        *,
        clock: Callable[[], float] = time.monotonic,
        jitter: random.Random | None = None,
    ) -> None:
        self._name = name
        self._sink = sink
        self._queue = queue
        self._clock = clock
        self._jitter = jitter or random.Random()  # noqa: S311 - spreads retries, keeps no secret
        self._limit = _BATCH
        self._failures = 0
        self._stuck: Mapping[str, int] = {}
        self._tries = 0
        self._spoiled = 0
        self._logged_at = -float("inf")
        self.counts: Counter[str] = Counter()
        """``attempts.OUTCOME`` and ``scores.OUTCOME``."""

    async def run(self, stop: asyncio.Event) -> None:
        """Send until `stop`."""
        while not stop.is_set():
            try:
                pause = await self.step()
            except Exception:
                pause = self._failed("store", "the store could not be asked")
            if pause > 0.0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), pause)

    async def step(self) -> float:
        """Send one batch; how many seconds to wait before the next."""
        found = await self._queue.read(self._limit)
        if found is None:
            return _POLL_SECONDS
        last, answers = found
        sent = await self._send(answers)
        if sent.delivered:
            return await self._delivered(last, answers, sent)
        if sent.retry and self._given_up(sent):
            given_up = replace(sent, delivered=True, refused=sent.refused + len(sent.stuck))
            return await self._delivered(last, answers, given_up)
        if sent.retry:
            if await self._spoils(answers, sent):
                return await self._refused(last, answers, sent)
            return max(self._failed(sent.reason, "trying again"), sent.retry_after or 0.0)
        return await self._refused(last, answers, sent)

    async def _delivered(self, last: int, answers: Sequence[ScoredAnswer], sent: Sent) -> float:
        scores = sum(len(answer.scores) for answer in answers)
        self.counts["scores.delivered"] += max(0, scores - sent.refused)
        if sent.refused:
            self.counts["scores.refused"] += sent.refused
            self._say(f"refused {sent.refused} scores ({sent.reason}); they are not sent again")
        self._failures, self._stuck, self._spoiled = 0, {}, 0
        self._tries = 0 if self._limit == _BATCH else self._tries
        self._limit = min(2 * self._limit, _BATCH)
        await self._queue.reached(last)
        return 0.0

    def _given_up(self, sent: Sent) -> bool:
        """Whether all that is left of the batch failed too often, while the tool took the rest."""
        self._stuck = {one: self._stuck.get(one, 0) + 1 for one in sent.stuck}
        return min(self._stuck.values(), default=0) >= _STUCK_TRIES

    async def _spoils(self, answers: Sequence[ScoredAnswer], sent: Sent) -> bool:
        """Whether one answer alone fails for ever while the tool takes others; a batch that fails for long is halved.

        In an outage the tool takes no other answer either, so nothing is lost by it.
        """
        self._tries = 0 if sent.stuck else self._tries + 1
        if self._tries <= _STUCK_TRIES:
            return False
        if self._limit > 1:
            self._limit //= 2
            return False
        if not await self._takes_another(answers):
            return False
        self._failures = 0
        self._spoiled += 1
        return self._spoiled >= _STUCK_TRIES

    async def _takes_another(self, answers: Sequence[ScoredAnswer]) -> bool:
        """Any of those that wait, so that two bad ones side by side do not speak for each other."""
        found = await self._queue.read(_BATCH)
        bad = {(answer.trace_id, answer.span_id) for answer in answers}
        others = [one for one in found[1] if (one.trace_id, one.span_id) not in bad] if found else []
        return bool(others) and (await self._send([self._jitter.choice(others)])).delivered

    async def _refused(self, last: int, answers: Sequence[ScoredAnswer], sent: Sent) -> float:
        """A batch that will never be taken is sent in halves, until the one that spoils it stands alone."""
        if self._limit > 1:
            self._limit = max(1, self._limit // 2)
            return 0.0
        self._spoiled = 0
        self.counts["scores.refused"] += sum(len(answer.scores) for answer in answers)
        self._say(f"refused the scores of an answer ({sent.reason}); they are not sent again")
        await self._queue.reached(last)
        return 0.0

    async def _send(self, answers: Sequence[ScoredAnswer]) -> Sent:
        if not answers:
            return Sent(delivered=True)
        try:
            sent = await self._sink.send(answers)
        except Exception as error:
            # Only the type: the text of a foreign exception may hold an address, and an address a secret.
            sent = Sent(delivered=False, retry=True, reason=f"error_{type(error).__name__}")
        self.counts[f"attempts.{sent.reason or 'delivered'}"] += 1
        return sent

    def _failed(self, reason: str, what: str) -> float:
        ceiling = min(_LONGEST_DELAY_SECONDS, _FIRST_DELAY_SECONDS * 2.0 ** min(self._failures, 20))
        self._failures += 1
        self._say(f"failed ({reason}); {what}")
        return ceiling * (0.5 + 0.5 * self._jitter.random())

    def _say(self, what: str) -> None:
        """A line a minute at most, whatever happens."""
        if self._clock() - self._logged_at >= _LOG_SECONDS:
            self._logged_at = self._clock()
            _log.warning("export to %s %s", self._name, what)
