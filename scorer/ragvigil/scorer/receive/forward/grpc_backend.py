"""A backend that takes OTLP over gRPC: the message as it arrived; what came as JSON is put into protobuf."""

from __future__ import annotations

import asyncio

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from ragvigil.exporters import OTLP_METHODS, otlp_channel, otlp_retry_info
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.receive.forward import advice
from ragvigil.scorer.receive.forward.headers import Headers
from ragvigil.scorer.receive.forward.item import Answer, Item, Received
from ragvigil.scorer.receive.forward.partial import partial_success
from ragvigil.scorer.receive.forward.protobuf import as_protobuf
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Refusal
from ragvigil.scorer.receive.settings import ForwardTo

_RETRYABLE = frozenset(
    {
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)
"""As the OTLP specification has it; RESOURCE_EXHAUSTED too when it comes with RetryInfo."""


class GrpcBackend:
    """One channel, on which the three collector services are called with raw bytes."""

    def __init__(self, name: str, settings: ForwardTo, headers: Headers, limits: Limits) -> None:
        """Raises ConfigError for an authority that cannot be read."""
        self._headers = headers
        self._limits = limits
        self._timeout_seconds = settings.timeout_seconds
        gzip = settings.compression == "gzip"
        self._compression = grpc.Compression.Gzip if gzip else grpc.Compression.NoCompression
        self._one_by_one = asyncio.Lock()
        self._channel = _channel(name, settings)

    def form(self, received: Received) -> Item:
        """Decompressed, because gRPC compresses by itself; so the queue's bound holds for what is sent."""
        headers = self._headers.of(received.headers)
        return Item(received.signal, received.plain, received.encoding, gzipped=False, headers=headers)

    async def send(self, item: Item) -> Answer:
        """One call."""
        body, unreadable = item.body, 0
        if item.encoding == "json":
            async with self._one_by_one:  # parsed JSON takes several times its size
                try:
                    body, unreadable = await asyncio.to_thread(as_protobuf, item, self._limits)
                except Refusal as refusal:
                    return Answer(taken=False, reason="not_otlp_json", message=str(refusal))
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(
            OTLP_METHODS[item.signal]
        )
        try:
            answer = await call(
                body,
                timeout=self._timeout_seconds,
                metadata=tuple(item.headers.items()),
                compression=self._compression,
            )
        except grpc.aio.AioRpcError as error:
            return _not_taken(error)
        return _taken(answer, item, unreadable)

    async def close(self) -> None:
        """Let go of the connection."""
        await self._channel.close()


def _channel(name: str, settings: ForwardTo) -> grpc.aio.Channel:
    try:
        roots = settings.ca_file.read_bytes() if settings.ca_file else None
    except OSError as error:
        raise ConfigError(f"forward.{name}.ca_file", f"cannot be read: {error.strerror}") from None
    return otlp_channel(settings.url, roots=roots)


def _taken(body: bytes, item: Item, unreadable: int) -> Answer:
    try:
        answer = partial_success(body, item.signal, "protobuf")
    except DecodeError:
        answer = Answer(taken=True)
    return Answer(taken=True, rejected=answer.rejected + unreadable, message=answer.message)


def _not_taken(error: grpc.aio.AioRpcError) -> Answer:
    code, wait = error.code(), otlp_retry_info(error)
    name = code.name.lower()
    retry = code in _RETRYABLE or (code is grpc.StatusCode.RESOURCE_EXHAUSTED and wait is not None)
    return Answer(
        taken=False,
        reason=f"grpc_{name}",
        retry=retry,
        wait_seconds=wait if retry else None,
        advice=advice.of_code(name, error.details() or ""),
    )
