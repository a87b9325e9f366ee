"""One OTLP request over gRPC, and what its status says of another try."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from ragvigil.exporters._addresses import is_loopback
from ragvigil.exporters._otlp import OtlpSignal
from ragvigil.exporters._post import LONGEST_RETRY_AFTER_SECONDS
from ragvigil.exporters._scores import Sent

if TYPE_CHECKING:
    import grpc.aio

INSTALL = "grpcio is not installed; run: pip install 'ragvigil[scorer]'"

_METHOD = "/opentelemetry.proto.collector.{}.v1.{}Service/Export"
OTLP_METHODS: Mapping[Literal["traces", "logs", "metrics"], str] = {
    "traces": _METHOD.format("trace", "Trace"),
    "logs": _METHOD.format("logs", "Logs"),
    "metrics": _METHOD.format("metrics", "Metrics"),
}
"""The collector's calls, by signal."""
_RECONNECT_MILLISECONDS = 10_000
_LONGEST_ANSWER = 2**20


class OtlpGrpc:
    """Calls the logs or the metrics service of one OTLP receiver.

    >>> OtlpGrpc("grpc://collector:4317", "logs", headers={"x-key": "hush"})
    OtlpGrpc('collector', 'logs')
    """

    def __init__(
        self, url: str, signal: OtlpSignal, *, headers: Mapping[str, str], timeout_seconds: float = 15.0
    ) -> None:
        """Raises ImportError without grpcio. `url`: ``grpc://host:4317``, or ``grpcs://`` for TLS."""
        try:
            import grpc.aio
        except ImportError:
            raise ImportError(INSTALL) from None
        self._grpc = grpc
        self._url = url
        self._signal: OtlpSignal = signal
        self._headers = tuple(headers.items())
        self._timeout_seconds = timeout_seconds

    def __repr__(self) -> str:
        return f"OtlpGrpc({urlsplit(self._url).hostname!r}, {self._signal!r})"

    async def send(self, body: bytes) -> Sent:
        """Hand over one serialised Export…ServiceRequest."""
        aio = self._grpc.aio
        async with otlp_channel(self._url) as channel:
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                OTLP_METHODS[self._signal]
            )
            try:
                answer = await call(body, timeout=self._timeout_seconds, metadata=self._headers)
            except aio.AioRpcError as error:
                return self._not_taken(error)
        return self._taken(answer)

    def _taken(self, body: bytes) -> Sent:
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse

        logs, metrics = ExportLogsServiceResponse(), ExportMetricsServiceResponse()
        try:
            (logs if self._signal == "logs" else metrics).ParseFromString(body)
        except DecodeError:
            return Sent(delivered=False, retry=True, reason="not_otlp")
        refused = logs.partial_success.rejected_log_records or metrics.partial_success.rejected_data_points
        return Sent(delivered=True, refused=refused, reason="partial_success" if refused else "")

    def _not_taken(self, error: grpc.aio.AioRpcError) -> Sent:
        """Everything but a malformed request is tried again, as over HTTP: a stale key is mended one day."""
        code = error.code()
        wait = otlp_retry_info(error)
        hopeless = code is self._grpc.StatusCode.INVALID_ARGUMENT
        return Sent(
            delivered=False,
            retry=not hopeless,
            reason=f"grpc_{code.name.lower()}",
            retry_after=None if wait is None else min(wait, LONGEST_RETRY_AFTER_SECONDS),
        )


def otlp_channel(url: str, *, roots: bytes | None = None) -> grpc.aio.Channel:
    """A channel to ``grpc://host:port``, or with TLS to ``grpcs://``; `roots`: PEM of whom to trust."""
    import grpc.aio

    options: list[tuple[str, str | int]] = [
        ("grpc.primary_user_agent", "ragvigil"),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", _LONGEST_ANSWER),
        ("grpc.max_reconnect_backoff_ms", _RECONNECT_MILLISECONDS),
        # A proxy of the environment cannot reach this machine's own loopback.
        ("grpc.enable_http_proxy", int(not is_loopback(url))),
    ]
    parts = urlsplit(url)
    if parts.scheme == "grpc":
        return grpc.aio.insecure_channel(parts.netloc, options)
    return grpc.aio.secure_channel(parts.netloc, grpc.ssl_channel_credentials(roots), options)


def otlp_retry_info(error: grpc.aio.AioRpcError) -> float | None:
    """Seconds that the receiver asks to wait; None when it does not say."""
    from google.protobuf.message import DecodeError
    from google.rpc.error_details_pb2 import RetryInfo
    from google.rpc.status_pb2 import Status

    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            try:
                details = Status.FromString(value).details
            except DecodeError:
                return None
            info = RetryInfo()
            for detail in details:
                if detail.Unpack(info):
                    return max(0.0, float(info.retry_delay.seconds) + float(info.retry_delay.nanos) / 1e9)
    return None
