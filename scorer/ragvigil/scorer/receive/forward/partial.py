"""What a backend took only in part."""

from __future__ import annotations

from typing import TypeVar

from google.protobuf.json_format import Parse
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from ragvigil.scorer.receive.decode import Encoding
from ragvigil.scorer.receive.forward.item import Answer, Signal

M = TypeVar("M", bound=Message)


def partial_success(body: bytes, signal: Signal, encoding: Encoding) -> Answer:
    """The answer in an Export…ServiceResponse. Raises DecodeError or ParseError when it is none.

    >>> partial_success(b'{"partialSuccess": {"rejectedSpans": "2"}}', "traces", "json").rejected
    2
    """
    if not body:
        return Answer(taken=True)
    if signal == "traces":
        spans = _read(ExportTraceServiceResponse(), body, encoding).partial_success
        return Answer(taken=True, rejected=spans.rejected_spans, message=spans.error_message)
    if signal == "logs":
        logs = _read(ExportLogsServiceResponse(), body, encoding).partial_success
        return Answer(taken=True, rejected=logs.rejected_log_records, message=logs.error_message)
    points = _read(ExportMetricsServiceResponse(), body, encoding).partial_success
    return Answer(taken=True, rejected=points.rejected_data_points, message=points.error_message)


def _read(empty: M, body: bytes, encoding: Encoding) -> M:
    if encoding == "json":
        return Parse(body, empty, ignore_unknown_fields=True)
    empty.ParseFromString(body)
    return empty
