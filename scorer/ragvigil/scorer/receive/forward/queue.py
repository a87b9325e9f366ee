"""The way to one backend: a queue bounded in bytes, senders, back-off, and counts of what became of each request."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from ragvigil.scorer.receive.forward.item import Answer, Item, Received
from ragvigil.scorer.receive.settings import ForwardTo

logger = logging.getLogger(__name__)

_SENDERS = 8
"""Requests under way to one backend at once: at 50 ms an answer, 160 requests a second."""
_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 30.0
_LONGEST_PAUSE_SECONDS = 300.0
"""However long a backend asks to be left alone, it is asked again after this."""
_MOST_ITEMS = 10_000_000
"""No request holds more, whatever a backend says of it."""
_TELL_SECONDS = 60.0
"""One cause is told once in so long: a backend that limits its senders fails and takes in turns."""


class Backend(Protocol):
    """One place that takes OTLP."""

    def form(self, received: Received) -> Item:
        """The request in the form in which it is kept for this backend."""
        ...

    async def send(self, item: Item) -> Answer:
        """One attempt, within the configured time. Raises nothing that is to be expected."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(slots=True, eq=False)
class Waiting:
    """One request in the queue."""

    item: Item | None
    """None once nothing of it may be sent."""
    deadline: float
    """Monotonic time from which it is not tried again."""
    arrived: float = field(default_factory=time.time)
    """Unix seconds."""
    under_way: bool = False
    """Whether the backend is being sent it at this moment."""
    wait: float | None = None
    """Seconds of its last back-off; None before its first attempt."""
    least: float = 0.0
    """Seconds that it waits next, also where the backend says "at once"."""


class Forwarder:
    """Everything between `offer` and one backend's answer; used from one event loop.

    Memory only: what a kill finds waiting is counted as ``dropped.killed`` by the next start.
    """

    def __init__(self, name: str, settings: ForwardTo, backend: Backend, counts: Counter[str]) -> None:
        self.name = name
        self._settings = settings
        self._backend = backend
        self._counts = counts
        self._queue: asyncio.Queue[Waiting] = asyncio.Queue()
        self._held = dict[Waiting, None]()
        self._held_bytes = 0
        self._paused_until = 0.0
        self._problem: str | None = None
        self._said: str | None = None
        """The problem that the log tells of and has not taken back."""
        self._told_at: dict[str, float] = {}
        self._partial = ""
        self._taken_since = -math.inf
        self._failures = 0
        """Attempts in vain since one was taken."""
        self._idle = asyncio.Event()
        self._idle.set()
        self._tasks: list[asyncio.Task[None]] = []
        self._count_killed()

    def start(self) -> None:
        """Begin to send."""
        self._tasks = [asyncio.create_task(self._send_for_ever()) for _ in range(_SENDERS)]

    async def stop(self, grace_seconds: float) -> None:
        """Send what waits, for so long at most and not to a backend that fails; count the rest as dropped."""
        if self._problem is None:
            try:
                await asyncio.wait_for(self._idle.wait(), grace_seconds)
            except TimeoutError:
                logger.warning("forward.%s: %d requests still wait at the end", self.name, len(self._held))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._count("dropped.stopped", len(self._held))
        await self._backend.close()

    def offer(self, received: Received) -> None:
        """Queue a copy when there is room; never waits."""
        if received.signal not in self._settings.signals:
            return
        self._count("offered")
        item = self._backend.form(received)
        if self._held_bytes + item.size > self._settings.max_queue_bytes:
            self._count("dropped.full")
            self._fails("its queue is full (max_queue_bytes)", "new requests are not forwarded")
            return
        waiting = Waiting(item, time.monotonic() + self._settings.retry_seconds)
        self._held[waiting] = None
        self._held_bytes += item.size
        self._idle.clear()
        self._queue.put_nowait(waiting)

    def health(self) -> dict[str, object]:
        """What /healthz shows of it."""
        return {"problem": self._problem, "queued": len(self._held), "queued_bytes": self._held_bytes}

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """What was offered and has neither been taken nor given up."""
        return tuple(self._held)

    def replace(self, waiting: Waiting, item: Item | None) -> bool:
        """Send this item in the place of what waits, or nothing; False where it is too late, or may be."""
        late = waiting not in self._held or waiting.under_way
        if waiting in self._held and waiting.item is not None:
            self._held_bytes += (item.size if item else 0) - waiting.item.size
            waiting.item = item
            if item is None and not late:
                self._let_go(waiting)
                self._count("dropped.forgotten")
        return not late

    async def _send_for_ever(self) -> None:
        """A request that is to be tried again waits beside the queue, and has its turn behind what is there by then."""
        loop = asyncio.get_running_loop()
        while True:
            waiting = await self._queue.get()
            again = await self._deliver(waiting)
            if again is None:
                self._let_go(waiting)
            else:
                loop.call_later(again - time.monotonic(), self._queue.put_nowait, waiting)
                await self._rest()

    async def _rest(self) -> None:
        """What takes no request at all is asked ever less often, however many wait; others might be taken, else."""
        rounds = self._failures // _SENDERS
        if rounds:
            await asyncio.sleep(
                _apart(min(_FIRST_WAIT_SECONDS * 2 ** min(rounds - 1, 10), _LONGEST_WAIT_SECONDS))
            )

    def _let_go(self, waiting: Waiting) -> None:
        if waiting in self._held:
            del self._held[waiting]
            self._held_bytes -= waiting.item.size if waiting.item else 0
        if not self._held:
            self._idle.set()

    async def _deliver(self, waiting: Waiting) -> float | None:
        """One attempt; the moment of the next, None where it is the last. What had no turn in its time has one."""
        await self._left_alone()
        begun, item = time.monotonic(), waiting.item
        if item is None:
            self._count("dropped.forgotten", waiting in self._held)
            return None
        if waiting.wait is not None and begun > waiting.deadline:
            self._count("dropped.expired")
            return None
        waiting.under_way = True
        answer = await self._attempt(item)
        waiting.under_way = False
        if answer.taken:
            self._taken_since, self._failures = max(self._taken_since, begun), 0
            self._delivered(item, answer)
            return None
        if begun >= self._taken_since:
            self._fails(answer.reason, answer.advice)
        if not answer.retry:
            self._count(f"dropped.{answer.reason}")
            return None
        again = self._again(waiting, answer)
        if again > waiting.deadline:
            self._count("dropped.expired")
            return None
        self._failures += 1
        self._count("retries")
        return again

    def _again(self, waiting: Waiting, answer: Answer) -> float:
        """When it may be tried again."""
        wait = waiting.wait
        waiting.wait = _FIRST_WAIT_SECONDS if wait is None else min(2 * wait, _LONGEST_WAIT_SECONDS)
        own, least = _apart(waiting.wait), waiting.least
        waiting.least = own
        if answer.wait_seconds is None:
            return time.monotonic() + own
        # "At once" is believed the first time: from a backend that goes on refusing it would be a flood.
        again = time.monotonic() + max(least, min(answer.wait_seconds, _LONGEST_PAUSE_SECONDS))
        self._paused_until = max(self._paused_until, again)
        return again

    async def _attempt(self, item: Item) -> Answer:
        try:
            return await self._backend.send(item)
        except Exception:
            logger.exception("forward.%s: a request could not be sent", self.name)
            return Answer(taken=False, reason="unexpected")

    async def _left_alone(self) -> None:
        """For as long as the backend wants to be, which may grow meanwhile."""
        while (left := self._paused_until - time.monotonic()) > 0:  # noqa: ASYNC110 - a time, no event
            await asyncio.sleep(left)

    def _delivered(self, item: Item, answer: Answer) -> None:
        self._count("delivered")
        rejected = min(answer.rejected, _MOST_ITEMS)
        if rejected > 0:
            self._count("rejected", rejected)
            self._tell_partial(item, answer)
        self._problem = None
        if self._said is not None:
            logger.warning("forward.%s takes requests again", self.name)
            self._said = None

    def _tell_partial(self, item: Item, answer: Answer) -> None:
        """One log line for each new reason: what a backend never takes may be in every request."""
        if answer.message != self._partial:
            logger.warning(
                "forward.%s took a request of %s but not %d items of it: %.200r",
                self.name,
                item.signal,
                answer.rejected,
                answer.message,
            )
        self._partial = answer.message

    def _fails(self, problem: str, advice: str) -> None:
        """One log line for each new cause; an answer that a later request's success overtook is no news."""
        self._problem = problem
        now = time.monotonic()
        if problem != self._said and now >= self._told_at.get(problem, -math.inf) + _TELL_SECONDS:
            hint = f" ({advice})" if advice else ""
            logger.error("forward.%s: %s%s; acks go on", self.name, problem, hint)
            self._said, self._told_at[problem] = problem, now

    def _count(self, what: str, amount: int = 1) -> None:
        if amount:
            self._counts[f"{self.name}.{what}"] += amount

    def _count_killed(self) -> None:
        """What the last process had not come to terms with, by the counts that it saved."""
        ended = sum(
            count
            for key, count in self._counts.items()
            if key == f"{self.name}.delivered" or key.startswith(f"{self.name}.dropped.")
        )
        self._count("dropped.killed", max(0, self._counts[f"{self.name}.offered"] - ended))


def _apart(seconds: float) -> float:
    """So long at most, and half of it at least: what failed together does not come back together."""
    return random.uniform(seconds / 2, seconds)  # noqa: S311 - no secret
