"""OTLP over gRPC: the three collector services on raw bytes, so that nothing is parsed twice."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import grpc
import grpc.aio

from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.receive.answers import accepted
from ragvigil.scorer.receive.decode import LOGS, SPANS, Signal
from ragvigil.scorer.receive.intake import Intake
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Refusal

logger = logging.getLogger(__name__)

_SERVICE = "opentelemetry.proto.collector.{0}.v1.{1}Service"
_CODES = {code.value[0]: code for code in grpc.StatusCode}
_STREAMS_PER_CONNECTION = 128
_EVERYWHERE = "0.0.0.0"  # noqa: S104 - only for ":4317", which the settings allow with a token alone

_Context = grpc.aio.ServicerContext[bytes, bytes]
_Handler = Callable[[bytes, _Context], Awaitable[bytes]]


async def start(intake: Intake, address: str) -> tuple[grpc.aio.Server, str]:
    """A running server, and the address it is bound to. Raises ConfigError when that is not free."""
    server = grpc.aio.server(options=_options(intake.limits))
    server.add_generic_rpc_handlers(
        (
            _service("trace", "Trace", _exporter(intake, SPANS)),
            _service("logs", "Logs", _exporter(intake, LOGS)),
            _service("metrics", "Metrics", _discarder(intake)),
        )
    )
    host = address.rpartition(":")[0] or _EVERYWHERE
    port_wanted = address.rpartition(":")[2]
    try:
        port = server.add_insecure_port(f"{host}:{port_wanted}")
    except RuntimeError:
        port = 0
    if not port:
        raise ConfigError("receive.grpc", f"{address} cannot be used", "is another scorer running there?")
    await server.start()
    return server, f"{host}:{port}"


def _options(limits: Limits) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", limits.max_body_bytes),
        ("grpc.max_concurrent_streams", _STREAMS_PER_CONNECTION),
        ("grpc.so_reuseport", 0),
    ]


def _service(package: str, name: str, handler: _Handler) -> grpc.GenericRpcHandler:
    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(handler)
    return grpc.method_handlers_generic_handler(_SERVICE.format(package, name), {"Export": method})


def _exporter(intake: Intake, signal: Signal) -> _Handler:
    async def take(body: bytes, context: _Context) -> bytes:
        intake.admit(_authorization(context))
        intake.counters.requests[f"grpc {signal.kind}"] += 1
        with intake.hold() as held:
            held.grow(len(body))
            decoded = await intake.take(body, signal=signal, encoding="protobuf", gzipped=False, held=held)
        return accepted(decoded, signal).SerializeToString()

    return _answering(intake, take)


def _discarder(intake: Intake) -> _Handler:
    async def discard(body: bytes, context: _Context) -> bytes:
        del body
        intake.admit(_authorization(context))
        intake.counters.ignored["metrics_requests"] += 1
        return b""

    return _answering(intake, discard)


def _answering(intake: Intake, handler: _Handler) -> _Handler:
    """The handler, with every failure turned into a status that says whether to come back."""

    async def answer(body: bytes, context: _Context) -> bytes:
        try:
            return await handler(body, context)
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


def _authorization(context: _Context) -> str | None:
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            return value if isinstance(value, str) else value.decode(errors="replace")
    return None
