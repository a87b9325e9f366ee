"""OpenTelemetry's OTLP/HTTP exporter, with its log lines turned into one error that names the cause."""

from __future__ import annotations

import inspect
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from http.client import BadStatusLine
from typing import NamedTuple, Protocol

from opentelemetry.exporter.otlp.proto.http import trace_exporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ragvigil.tracer._encoding import encoded_request
from ragvigil.tracer._notices import describe
from ragvigil.tracer._queue import Outgoing

_LOGGERS = (trace_exporter.__name__, "urllib3.connectionpool")
"""Who logs while we deliver: a service that logs at DEBUG would see each of our requests."""
_SENDS = "_export"
_COUNTS = "OTEL_PYTHON_SDK_INTERNAL_METRICS_ENABLED"


class DeliveryError(RuntimeError):
    """A batch that did not arrive: where it should have gone, and the first reason heard."""

    def __init__(self, endpoint: str, reason: str) -> None:
        super().__init__(f"{endpoint}: {reason}")


_WANTS = (
    "the scorer wants its receive.token: configure(headers={'Authorization': 'Bearer TOKEN'}), "
    "or OTEL_EXPORTER_OTLP_HEADERS"
)


class QuietExporter(SpanExporter):
    """Exports over OTLP/HTTP; raises ``DeliveryError`` instead of logging every attempt.

    Certificates, compression and timeout come from the standard ``OTEL_EXPORTER_OTLP_…`` variables.
    """

    def __init__(self, *, endpoint: str, headers: Mapping[str, str] | None) -> None:
        self._endpoint = endpoint
        self._listener = Listener()
        self._inner: SpanExporter = trace_exporter.OTLPSpanExporter(
            endpoint=endpoint, headers=None if headers is None else dict(headers)
        )
        self._client = _client_of(self._inner)
        self._shut = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Deliver a batch, with the exporter's own retries."""
        return self._delivered(lambda: self._inner.export(spans) is SpanExportResult.SUCCESS)

    def export_encoded(self, batch: Sequence[Outgoing]) -> SpanExportResult:
        """Deliver a batch whose spans are encoded; an exporter that cannot take these encodes them again."""
        client = self._client
        if client is None or self._shut:
            return self.export([one.written.readable() for one in batch])
        request = encoded_request([(one.written.span, one.data) for one in batch])
        return self._delivered(lambda: client.export(request).success)

    def _delivered(self, deliver: Callable[[], bool]) -> SpanExportResult:
        self._listener.listen()
        # The loggers are shared with the service, so only this thread's lines are taken.
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self._listener)
        try:
            arrived = deliver()
        except Exception as error:  # early versions raise what later ones log
            raise DeliveryError(self._endpoint, _said(_root(error))) from error
        finally:
            for name in _LOGGERS:
                logging.getLogger(name).removeFilter(self._listener)
        if not arrived:
            raise DeliveryError(self._endpoint, _mended(self._listener.heard or "no reason given"))
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Interrupt a waiting retry and close the connections."""
        self._shut = True
        self._inner.shutdown()


class _Answer(Protocol):
    """The part of the client's answer that matters to us."""

    @property
    def success(self) -> bool:
        """Whether the request arrived."""
        ...


class _Client(Protocol):
    """What the exporter sends with: certificates, compression, retries, a connection kept open."""

    def export(self, data: bytes) -> _Answer:
        """Send a request."""
        ...


def _client_of(exporter: SpanExporter) -> _Client | None:
    """The client inside of the SDK's exporter, where it has the one that we know, and does not count requests itself.

    Encoding spans anew in the exporter costs a third of all that tracing costs a process.
    """
    if os.environ.get(_COUNTS, "").strip().lower() == "true":
        return None
    earlier = getattr(exporter, _SENDS, None)
    if callable(earlier) and next(iter(inspect.signature(earlier).parameters), "") == "serialized_data":
        return _Earlier(exporter, earlier)
    client: _Client | None = getattr(exporter, "_client", None)
    if client is None:
        return None
    send = getattr(client, "export", None)
    return client if callable(send) and list(inspect.signature(send).parameters) == ["data"] else None


class _Sent(NamedTuple):
    success: bool


class _Earlier:
    """The same for exporters before 1.45: one is asked to send nothing, and sends the request in place of that."""

    def __init__(self, exporter: SpanExporter, send: Callable[..., object]) -> None:
        self._exporter = exporter
        self._send = send
        self._request = b""
        # By name: later exporters have no such method.
        setattr(exporter, _SENDS, self._instead)

    def _instead(self, serialized_data: bytes, *rest: object, **named: object) -> object:
        return self._send(self._request or serialized_data, *rest, **named)

    def export(self, data: bytes) -> _Answer:
        """Send a request, with the exporter's retries."""
        self._request = data
        try:
            return _Sent(self._exporter.export([]) is SpanExportResult.SUCCESS)
        finally:
            self._request = b""


class Listener(logging.Filter):
    """Keeps the first line that the exporter logs on the listening thread, and lets no line of that thread through."""

    def __init__(self) -> None:
        super().__init__()
        self._thread = 0
        self.heard: str | None = None

    def listen(self) -> None:
        """Listen to the current thread, from now on."""
        self._thread = threading.get_ident()
        self.heard = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is somebody else's."""
        if threading.get_ident() != self._thread:
            return True
        if self.heard is None and record.name == trace_exporter.__name__:
            self.heard = _cause(record) or record.getMessage()
        return False


def _mended(reason: str) -> str:
    """The reason with its fix, where the SDK throws away what the scorer says of it.

    >>> _mended("Failed to export span batch code: 401, reason: Unauthorized").partition("; ")[2][:34]
    'the scorer wants its receive.token'
    """
    if "401" not in reason and "Unauthorized" not in reason:
        return reason
    return f"{reason}; {_WANTS}"


def _cause(record: logging.LogRecord) -> str | None:
    """The first of the errors behind a log line: what the operating system or the peer said."""
    arguments = record.args if isinstance(record.args, tuple) else ()
    error = next((argument for argument in arguments if isinstance(argument, BaseException)), None)
    return None if error is None else _said(_root(error))


def _said(error: BaseException) -> str:
    """What it was, in words where it is what everybody mistakes: OTLP's other port, whose answer is binary.

    >>> _said(BadStatusLine(chr(0)))
    "what answers there speaks no HTTP/1, as on gRPC's port 4317: name the port for OTLP over HTTP, 4318 unless changed"
    """
    if isinstance(error, BadStatusLine) and not str(error).isprintable():
        return (
            "what answers there speaks no HTTP/1, as on gRPC's port 4317: "
            "name the port for OTLP over HTTP, 4318 unless changed"
        )
    return describe(error)


def _root(error: BaseException) -> BaseException:
    """The first error of its chain."""
    while (earlier := error.__cause__ or error.__context__) is not None:
        error = earlier
    return error
