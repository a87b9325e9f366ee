"""The bodies of answers, in the encoding of the request."""

from __future__ import annotations

from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)

from ragvigil.scorer.receive.decode import Decoded, Encoding, Signal

CONTENT_TYPES: dict[Encoding, str] = {"protobuf": "application/x-protobuf", "json": "application/json"}
"""Content-Type of each encoding."""


def encoded(message: Message, encoding: Encoding) -> bytes:
    """The message in that encoding. Few senders want JSON, and its library takes a tenth of a second to import.

    >>> encoded(ExportTraceServiceResponse(), "json"), encoded(ExportTraceServiceResponse(), "protobuf")
    (b'{}', b'')
    """
    if encoding == "protobuf":
        return message.SerializeToString()
    from google.protobuf.json_format import MessageToJson

    return MessageToJson(message, indent=None).encode()


def accepted(decoded: Decoded, signal: Signal) -> Message:
    """The response to a request that was taken, wholly or in part; with a warning where nothing was found in it."""
    rejected, why = decoded.rejected.total(), decoded.error_message or ""
    if signal.kind == "spans":
        spans = ExportTracePartialSuccess(rejected_spans=rejected, error_message=why)
        return ExportTraceServiceResponse(partial_success=spans if why else None)
    logs = ExportLogsPartialSuccess(rejected_log_records=rejected, error_message=why)
    return ExportLogsServiceResponse(partial_success=logs if why else None)
