"""Ended spans that wait to be sent, bounded in number and bytes, and the batches that they are sent in."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan

from ragvigil.tracer._encoding import envelope_size
from ragvigil.tracer._notices import Notices
from ragvigil.tracer._writing import Queued, Written, shortened, unwritten, written

MAX_QUEUED_SPANS = 4_096
MAX_QUEUED_BYTES = 64 * 2**20
MAX_BATCH_SPANS = 512
MAX_BATCH_BYTES = 2 * 2**20

ENVELOPE_BYTES = 256
"""At least what a request has around its resources, with the number of lost spans on the first span."""

TURN_SECONDS = 0.001
"""How long spans are written before the interpreter is offered to the service; its own turns last five times this."""


class Outgoing(NamedTuple):
    """A span that is ready to be sent."""

    written: Written
    data: bytes
    """One entry of a request."""


class Queue:
    """The spans that wait; who appends holds a lock, and one thread alone takes."""

    def __init__(self, notices: Notices, drop: Callable[[int, str, BaseException | str], None]) -> None:
        self._notices = notices
        self._drop = drop
        """Told of what cannot be sent."""
        self._spans: deque[Queued] = deque()
        self._held: Outgoing | None = None
        """Written already, and too large for the last batch."""
        self._resource: Resource | None = None
        self._resource_size = 0
        self.bytes = 0
        """At least the bytes of all that waits."""

    def __len__(self) -> int:
        """How many spans wait."""
        return len(self._spans) + (self._held is not None)

    @property
    def fills_a_batch(self) -> bool:
        """Whether it is worth sending now."""
        return self.bytes >= MAX_BATCH_BYTES or len(self._spans) >= MAX_BATCH_SPANS

    def append(self, queued: Queued) -> bool:
        """Whether there was room for this span."""
        if len(self._spans) >= MAX_QUEUED_SPANS or self.bytes + queued.weight > MAX_QUEUED_BYTES:
            return False
        self._spans.append(queued)
        self.bytes += queued.weight
        return True

    def take(self, most: int) -> tuple[list[Outgoing], int]:
        """The oldest spans that make one request, at most so many, and what they weighed in the queue."""
        batch: list[Outgoing] = []
        resources: set[int] = set()
        weight, room = 0, MAX_BATCH_BYTES - ENVELOPE_BYTES
        turn_began = time.perf_counter()
        while (self._held is not None or self._spans) and len(batch) < most:
            if self._held is None:
                queued = self._spans.popleft()
                weight += queued.weight
                self._held = self._written(queued)
                if self._held is None:
                    continue
            resource = self._held.written.span.resource
            room -= len(self._held.data)
            if id(resource) not in resources:
                room -= self._around(self._held.written.span)
            if batch and room < 0:
                break
            resources.add(id(resource))
            batch.append(self._held)
            self._held = None
            turn_began = self._turn(turn_began)
        return batch, weight

    def _written(self, queued: Queued) -> Outgoing | None:
        """The span with all that is to be written on it, no larger than a request of its own; None when it is lost."""
        try:
            whole = written(queued, self._notices)
            try:
                data = whole.encoded()
            except BaseException as error:
                self._notices.say("a span could not be encoded", error)
                whole = unwritten(queued.span, error)
                data = whole.encoded()
            most = MAX_BATCH_BYTES - ENVELOPE_BYTES - self._around(queued.span)
            if len(data) > most:
                whole = shortened(whole, most)
                data = whole.encoded()
            return Outgoing(whole, data)
        except BaseException as error:  # on the sending thread: the other spans are still to be sent
            self._drop(1, "spans could not be encoded", error)
            return None

    def _around(self, span: ReadableSpan) -> int:
        """At least the bytes of what says whose spans they are, with the name and version of our scope."""
        if self._resource is not span.resource:
            self._resource, self._resource_size = span.resource, envelope_size(span)
        return self._resource_size

    def _turn(self, began: float) -> float:
        """When the present turn began: a new one after each millisecond, unless the queue fills up.

        A service that waits for the network gives the interpreter away, and would get it back five milliseconds
        later while we write.
        """
        now = time.perf_counter()
        if now - began < TURN_SECONDS:
            return began
        if len(self._spans) < MAX_QUEUED_SPANS // 2 and self.bytes < MAX_QUEUED_BYTES // 2:
            time.sleep(0)
            return time.perf_counter()
        return now
