"""OTLP over gRPC: the three collector services on raw bytes, so that nothing is parsed twice.

A message over `receive.max_body_bytes` is refused here, counted and with a google.rpc.Status, up to 1.25 times
that size. The gRPC library has to have the whole message in memory for it, before `open_bytes` can count it.
What is left to the library, and so not told in our words; `refused.unread` counts the calls whose message never
reached us, for whichever of these reasons or because their sender gave up:
- larger messages: RESOURCE_EXHAUSTED as soon as their length is known, not one byte of them kept;
- a compression but gzip and deflate (a Collector has zstd and snappy, too): INTERNAL "Error parsing 'grpc-encoding'
  metadata", before any option or handler is asked (tried with per-message decompression off); and a body that is not
  what its compression says: INTERNAL as well, which no sender retries. OTLP demands none and gzip of a server;
- methods that are not served: UNIMPLEMENTED; more than 128 calls at once on a connection: they wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine

import grpc
import grpc.aio

from ragvigil.scorer.receive.answers import accepted
from ragvigil.scorer.receive.decode import LOGS, SPANS, Signal
from ragvigil.scorer.receive.forward import VIA
from ragvigil.scorer.receive.http_server import bound, unusable
from ragvigil.scorer.receive.intake import Intake
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Refusal

logger = logging.getLogger(__name__)

_SERVICE = "opentelemetry.proto.collector.{0}.v1.{1}Service"
_CODES = {code.value[0]: code for code in grpc.StatusCode}
_STREAMS_PER_CONNECTION = 128
_ROOM_FOR_AN_ANSWER = 1.25
"""What the library lets through, times the limit: a sender that is a little over it is told what to change."""
_EVERYWHERE = "0.0.0.0"  # noqa: S104 - only for ":4317", which the settings allow with a token alone

_Context = grpc.aio.ServicerContext[bytes, bytes]
_Handler = Callable[[bytes, _Context], Coroutine[None, None, bytes]]


async def start(intake: Intake, address: str) -> tuple[grpc.aio.Server, str]:
    """A running server, and the address it is bound to. Raises ConfigError when that is not free."""
    server = grpc.aio.server(options=_options(intake.limits))
    server.add_generic_rpc_handlers(
        (
            _Service(intake, "trace", "Trace", _exporter(intake, SPANS)),
            _Service(intake, "logs", "Logs", _exporter(intake, LOGS)),
            _Service(intake, "metrics", "Metrics", _discarder(intake)),
        )
    )
    host = address.rpartition(":")[0] or _EVERYWHERE
    port_wanted = address.rpartition(":")[2]
    bound(address, "receive.grpc").close()  # the library tells what it cannot use in lines of its own source
    try:
        port = server.add_insecure_port(f"{host}:{port_wanted}")
    except RuntimeError:
        port = 0
    if not port:
        raise unusable("receive.grpc", address)
    await server.start()
    return server, f"{host}:{port}"


def _options(limits: Limits) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", int(_ROOM_FOR_AN_ANSWER * limits.max_body_bytes)),
        ("grpc.max_concurrent_streams", _STREAMS_PER_CONNECTION),
        ("grpc.so_reuseport", 0),
    ]


class _Call:
    """One call from its first byte: counted as refused when it goes away before its message has come."""

    def __init__(self, intake: Intake, handler: _Handler) -> None:
        self._intake = intake
        self._handler = handler
        self._read = False

    async def answer(self, body: bytes, context: _Context) -> bytes:
        """The answer; the library calls this once it has the whole message."""
        self._read = True
        return await self._handler(body, context)

    def __del__(self) -> None:
        """The library lets go of a call that it has ended by itself, and tells nobody."""
        if not self._read:
            self._intake.counters.refused["unread"] += 1


class _Service(grpc.GenericRpcHandler):
    """The one method of a collector service."""

    def __init__(self, intake: Intake, package: str, name: str, handler: _Handler) -> None:
        self._intake = intake
        self._method = f"/{_SERVICE.format(package, name)}/Export"
        self._handler = handler

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """A handler for this one call; None when another service is meant."""
        if handler_call_details.method != self._method:
            return None
        return grpc.unary_unary_rpc_method_handler(_Call(self._intake, self._handler).answer)


def _exporter(intake: Intake, signal: Signal) -> _Handler:
    async def take(body: bytes, context: _Context) -> bytes:
        _admit(intake, body, context)
        intake.counters.requests[f"grpc {signal.kind}"] += 1
        with intake.hold() as held:
            held.grow(len(body))
            decoded = await intake.take(
                body,
                signal=signal,
                encoding="protobuf",
                coding=None,
                held=held,
                headers=_headers(context),
            )
        return accepted(decoded, signal).SerializeToString()

    return _answering(intake, take)


def _discarder(intake: Intake) -> _Handler:
    async def discard(body: bytes, context: _Context) -> bytes:
        _admit(intake, body, context)
        with intake.hold() as held:
            held.grow(len(body))
            await intake.pass_on_metrics(
                body, encoding="protobuf", coding=None, held=held, headers=_headers(context)
            )
        return b""

    return _answering(intake, discard)


def _answering(intake: Intake, handler: _Handler) -> _Handler:
    """The handler, with every failure turned into a status that says whether to come back.

    A sender that gives up ends the call, not the handler: what is committed is counted all the same.
    """

    async def answer(body: bytes, context: _Context) -> bytes:
        try:
            return await asyncio.shield(handler(body, context))
        except Refusal as error:
            refusal = error
        except Exception:
            logger.exception("a gRPC request failed unexpectedly")
            refusal = Refusal.unexpected(intake.limits.retry_seconds)
        intake.refused(refusal)
        details = (("grpc-status-details-bin", refusal.status().SerializeToString()),)
        await context.abort(_CODES[refusal.reason.code], refusal.message, details)
        return b""

    return answer


def _admit(intake: Intake, body: bytes, context: _Context) -> None:
    headers = _headers(context)
    intake.admit(headers.get("authorization"), headers.get(VIA))
    if len(body) > intake.limits.max_body_bytes:
        raise Refusal.too_large("the message", intake.limits.max_body_bytes)


def _headers(context: _Context) -> dict[str, str]:
    """The metadata of a call; names are in lower case, values of ``-bin`` names are left out."""
    pairs = context.invocation_metadata() or ()
    return {key: value for key, value in pairs if isinstance(value, str)}
