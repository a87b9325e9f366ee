"""Traffic for the example service: questions at a steady rate, whether or not the last one is answered."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import httpx

_LOG = logging.getLogger(__name__)

_MOST_IN_FLIGHT = 200
_TIMEOUT_SECONDS = 90.0
_REMEMBERED = 12


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and what the service said."""

    question: str
    answer: str
    citations: tuple[str, ...]
    trace_id: str | None


class Traffic:
    """Asks the service question after question; open loop, so a slow service is not spared, unless it is `held`."""

    def __init__(self, url: str, questions: Iterable[str], *, rate: float) -> None:
        """Ask `questions`, over and over, `rate` times a second, of the service at `url`."""
        self.url = url
        self._questions = itertools.cycle(questions)
        self.rate = rate
        self._in_flight: set[asyncio.Task[None]] = set()
        self.sent = 0
        """Questions that reached the service: each is one trace, whatever it answered."""
        self.failed = 0
        """Questions without an answer, those that were not even asked because 200 hung included."""
        self.held = False
        """Whether nothing is asked for now; the rate begins anew afterwards, nothing is made up for."""
        self.latest: deque[Exchange] = deque(maxlen=_REMEMBERED)
        """The last answers, newest last."""

    async def run(self, stop: asyncio.Event) -> None:
        """Ask until `stop` is set, then wait for what is under way."""
        limits = httpx.Limits(max_connections=_MOST_IN_FLIGHT, max_keepalive_connections=_MOST_IN_FLIGHT)
        async with httpx.AsyncClient(limits=limits, timeout=_TIMEOUT_SECONDS, trust_env=False) as client:
            loop = asyncio.get_running_loop()
            due = loop.time()
            while not stop.is_set():
                if self.held:
                    due = loop.time()
                else:
                    self._ask_soon(client)
                due += 1 / self.rate
                await _wait(stop, due - loop.time())
            await asyncio.gather(*self._in_flight)

    def _ask_soon(self, client: httpx.AsyncClient) -> None:
        if len(self._in_flight) >= _MOST_IN_FLIGHT:
            self.failed += 1
            return
        task = asyncio.create_task(self._ask(client, next(self._questions)))
        self._in_flight.add(task)
        task.add_done_callback(self._in_flight.discard)

    async def _ask(self, client: httpx.AsyncClient, question: str) -> None:
        try:
            response = await client.post(f"{self.url}/ask", json={"question": question})
            self.sent += 1
            response.raise_for_status()
            reply = response.json()
            exchange = Exchange(question, reply["answer"], tuple(reply["citations"]), reply["trace_id"])
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            self.failed += 1
            _LOG.info("no answer: %r", error)
            return
        self.latest.append(exchange)


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    """Wait so long, or until `stop`; a schedule that is behind still lets the answers come in."""
    if seconds <= 0:
        await asyncio.sleep(0)
        return
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
