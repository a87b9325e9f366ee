"""Ended spans that wait to be sent, bounded in number and bytes, and the batches that they are sent in."""

from __future__ import annotations

import time
from collections import deque

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan

from ragvigil.tracer._notices import Notices
from ragvigil.tracer._sizes import encoded_attributes, encoded_span
from ragvigil.tracer._writing import Queued, shortened, written

MAX_QUEUED_SPANS = 4_096
MAX_QUEUED_BYTES = 64 * 2**20
MAX_BATCH_SPANS = 512
MAX_BATCH_BYTES = 2 * 2**20

ENVELOPE_BYTES = 256
"""At least what a request has around spans and resources, with the number of lost spans on the first span."""

TURN_SECONDS = 0.001
"""How long spans are written before the interpreter is offered to the service; its own turns last five times this."""


class Queue:
    """The spans that wait; who appends holds a lock, and one thread alone takes."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._spans: deque[Queued] = deque()
        self._held: tuple[ReadableSpan, int] | None = None
        """Written already, with its size, and too large for the last batch."""
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

    def take(self, most: int) -> tuple[list[ReadableSpan], int]:
        """The oldest spans that make one request, at most so many, and what they weighed in the queue."""
        batch: list[ReadableSpan] = []
        resources: set[int] = set()
        weight, room = 0, MAX_BATCH_BYTES - ENVELOPE_BYTES
        turn_began = time.perf_counter()
        while (self._held is not None or self._spans) and len(batch) < most:
            if self._held is None:
                queued = self._spans.popleft()
                weight += queued.weight
                self._held = self._written(queued)
            span, size = self._held
            resource = span.resource
            room -= size if id(resource) in resources else size + self._resource_bytes(resource)
            if batch and room < 0:
                break
            resources.add(id(resource))
            batch.append(span)
            self._held = None
            turn_began = self._turn(turn_began)
        return batch, weight

    def _written(self, queued: Queued) -> tuple[ReadableSpan, int]:
        """The span with all that is to be written on it, no larger than a request of its own, and its size."""
        span = written(queued, self._notices)
        size = encoded_span(span)
        most = MAX_BATCH_BYTES - ENVELOPE_BYTES - self._resource_bytes(span.resource)
        if size <= most:
            return span, size
        span = shortened(span, most)
        return span, encoded_span(span)

    def _resource_bytes(self, resource: Resource) -> int:
        """At least the bytes of what says whose spans they are, with the name and version of our scope."""
        if self._resource is not resource:
            self._resource = resource
            attributes = encoded_attributes(dict(resource.attributes))
            self._resource_size = ENVELOPE_BYTES + len(resource.schema_url) + attributes
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
