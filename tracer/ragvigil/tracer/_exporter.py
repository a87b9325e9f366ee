"""OpenTelemetry's OTLP/HTTP exporter, with its log lines turned into one error that names the cause."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence

from opentelemetry.exporter.otlp.proto.http import trace_exporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ragvigil.tracer._notices import describe

_LOGGERS = (trace_exporter.__name__, "urllib3.connectionpool")
"""Who logs while we deliver: a service that logs at DEBUG would see each of our requests."""


class DeliveryError(RuntimeError):
    """A batch that did not arrive: where it should have gone, and the first reason heard."""

    def __init__(self, endpoint: str, reason: str) -> None:
        super().__init__(f"{endpoint}: {reason}")


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

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Deliver a batch, with the exporter's own retries."""
        self._listener.listen()
        # The loggers are shared with the service, so only this thread's lines are taken.
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self._listener)
        try:
            result = self._inner.export(spans)
        except Exception as error:  # early versions raise what later ones log
            raise DeliveryError(self._endpoint, describe(_root(error))) from error
        finally:
            for name in _LOGGERS:
                logging.getLogger(name).removeFilter(self._listener)
        if result is not SpanExportResult.SUCCESS:
            raise DeliveryError(self._endpoint, self._listener.heard or "no reason given")
        return result

    def shutdown(self) -> None:
        """Interrupt a waiting retry and close the connections."""
        self._inner.shutdown()


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


def _cause(record: logging.LogRecord) -> str | None:
    """The first of the errors behind a log line: what the operating system or the peer said."""
    arguments = record.args if isinstance(record.args, tuple) else ()
    error = next((argument for argument in arguments if isinstance(argument, BaseException)), None)
    return None if error is None else describe(_root(error))


def _root(error: BaseException) -> BaseException:
    """The first error of its chain."""
    while (earlier := error.__cause__ or error.__context__) is not None:
        error = earlier
    return error
