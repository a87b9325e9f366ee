"""What both servers do with a request once it is read: authorise, decode, stage, count."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Literal, Protocol

from ragvigil.scorer.errors import InboxFull, InboxTooSmall, StoreError
from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.receive.compression import Coding, decompressed
from ragvigil.scorer.receive.counters import Counters
from ragvigil.scorer.receive.decode import Decoded, Encoding, Signal, decode
from ragvigil.scorer.receive.forward import Received, Tee
from ragvigil.scorer.receive.limits import Held, Limits, OpenBytes
from ragvigil.scorer.receive.refusal import Reason, Refusal
from ragvigil.scorer.receive.wire import TooManyParts
from ragvigil.scorer.token import shows

_NONE: Mapping[str, str] = {}
_CROWDED = 10_000
"""Spans and other parts above which a request is decoded beside the event loop: two bytes can be a part."""
_LARGE = 2**20
"""Bodies above this are worked on beside the event loop, so that small ones need not wait for them."""


class Staging(Protocol):
    """Where rows go before the ack: the future resolves when they are durable.

    `append` raises InboxFull, InboxTooSmall for rows that never fit, or StoreError when it takes nothing any more;
    the future fails with StoreError.
    """

    def append(self, rows: Sequence[Arrival]) -> Future[None]:
        """A future that resolves once the rows are durable."""
        ...


class Intake:
    """Takes requests for both servers; used from one event loop."""

    def __init__(
        self,
        staging: Staging,
        limits: Limits,
        *,
        token: str | None = None,
        counters: Counters | None = None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self.limits = limits
        self.counters = counters or Counters()
        self.open_bytes = OpenBytes(limits)
        self.stopping = False
        self.tee: Tee | None = None
        self._staging = staging
        self._token = token
        self._clock = clock
        self._at_once = replace(limits, max_parts=min(_CROWDED, limits.max_parts))

    def hold(self) -> Held:
        """Counts the bytes of one request while it is worked on; use it in a ``with`` statement."""
        return Held(self.open_bytes)

    def admit(self, authorization: str | None, via: str | None = None) -> None:
        """Let a request in. Raises Refusal when its token is not ours, when we are stopping, or sent it ourselves."""
        if self._token is not None and not shows(authorization, self._token):
            raise Refusal(
                Reason.UNAUTHENTICATED,
                "this scorer wants a token; send the header 'Authorization: Bearer TOKEN' (receive.token)",
            )
        if self.stopping:
            raise self._later(Reason.STOPPING, "this scorer is stopping; try again later")
        if self.tee is not None and self.tee.has_sent(via):
            raise Refusal(
                Reason.LOOP, "this scorer has forwarded this request itself; look for a circle in forward"
            )

    async def take(
        self,
        body: bytes,
        *,
        signal: Signal,
        encoding: Encoding,
        coding: Coding | None,
        held: Held,
        headers: Mapping[str, str] = _NONE,
    ) -> Decoded:
        """What the request held, once all of it is durable. Raises Refusal; then nothing was kept.

        Only what was taken is forwarded: a sender that is refused comes back with it.
        """

        def work(limits: Limits) -> tuple[Decoded, bytes]:
            plain = body
            if coding:
                plain = decompressed(body, coding, limit=limits.max_body_bytes, grow=held.grow)
            return decode(plain, signal, encoding, limits, received_at=self._clock()), plain

        if coding or encoding == "json" or len(body) > _LARGE:
            decoded, plain = await asyncio.to_thread(work, self.limits)
        else:
            try:
                decoded, plain = work(self._at_once)
            except TooManyParts:
                decoded, plain = await asyncio.to_thread(work, self.limits)
        self.counters.bytes += len(plain)
        if decoded.rows:
            await self._stage(decoded.rows)
        self._count(decoded, signal)
        if self.tee is not None:
            name: Literal["traces", "logs"] = "traces" if signal.kind == "spans" else "logs"
            self.tee.offer(Received(name, body, plain, encoding, headers))
        return decoded

    async def tell(self, rows: Sequence[Arrival], what: str) -> None:
        """Take what was told in JSON, once all of it is durable. Raises Refusal; then nothing was kept."""
        await self._stage(rows)
        self.counters.told[what] += len(rows)

    def now(self) -> int:
        """The moment of receipt, Unix nanoseconds."""
        return self._clock()

    async def pass_on_metrics(
        self,
        body: bytes,
        *,
        encoding: Encoding,
        coding: Coding | None,
        held: Held,
        headers: Mapping[str, str],
    ) -> None:
        """Metrics are of no use here; a backend gets them all the same. Raises Refusal where decompression fails."""
        self.counters.ignored["metrics_requests"] += 1
        if self.tee is None:
            return
        plain = body
        if coding:
            limit = self.limits.max_body_bytes
            plain = await asyncio.to_thread(decompressed, body, coding, limit=limit, grow=held.grow)
        self.tee.offer(Received("metrics", body, plain, encoding, headers))

    def refused(self, refusal: Refusal) -> None:
        """Count a refusal."""
        self.counters.refused[refusal.reason.label] += 1

    async def _stage(self, rows: Sequence[Arrival]) -> None:
        try:
            await asyncio.wrap_future(self._staging.append(rows))
        except InboxTooSmall as error:
            raise Refusal(Reason.TOO_LARGE, str(error)) from None
        except InboxFull as full:
            raise self._later(Reason.FULL, str(full)) from None
        except StoreError as error:
            raise self._later(Reason.STORE, str(error)) from None

    def _later(self, reason: Reason, message: str) -> Refusal:
        return Refusal(reason, message, self.limits.retry_seconds)

    def _count(self, decoded: Decoded, signal: Signal) -> None:
        if signal.kind == "spans":
            self.counters.spans += decoded.accepted
        else:
            self.counters.logs += decoded.accepted
        if decoded.ignored:
            self.counters.ignored["logs_without_trace"] += decoded.ignored
        if decoded.is_empty and decoded.error_message:
            self.counters.ignored["requests_with_other_names"] += 1
        self.counters.rejected.update(decoded.rejected)
