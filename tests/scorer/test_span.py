"""OTLP bytes as plain spans and log events."""

from __future__ import annotations

import math

import pytest
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData, ResourceLogs, ScopeLogs
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from ragvigil.scorer.span import LogEvent, Span, SpanEvent, logs_of, spans_of

TRACE_ID, SPAN_ID = bytes(range(16)), bytes(range(8))


def text(key: str, value: str) -> KeyValue:
    """A text attribute."""
    return KeyValue(key=key, value=AnyValue(string_value=value))


def request(*spans: WireSpan) -> bytes:
    """An export request with one scope and one resource."""
    message = ExportTraceServiceRequest()
    resource_spans = message.resource_spans.add()
    resource_spans.resource.attributes.append(text("service.name", "ferries"))
    scope_spans = resource_spans.scope_spans.add()
    scope_spans.scope.name = "app"
    scope_spans.spans.extend(spans)
    return message.SerializeToString()


def test_a_span_keeps_everything_that_readers_need() -> None:
    """Compared whole."""
    wire = WireSpan(
        trace_id=TRACE_ID,
        span_id=SPAN_ID,
        name="ask",
        kind=WireSpan.SPAN_KIND_CLIENT,
        start_time_unix_nano=5,
        end_time_unix_nano=9,
        attributes=[text("a", "b")],
        events=[
            WireSpan.Event(
                name="exception",
                time_unix_nano=7,
                attributes=[text("exception.type", "E")],
                dropped_attributes_count=1,
            )
        ],
        status=Status(code=Status.STATUS_CODE_ERROR, message="broken"),
        trace_state="ot=th:8",
        dropped_attributes_count=2,
        dropped_events_count=3,
        flags=0x300,
    )
    (span,) = spans_of(request(wire))
    assert span == Span(
        trace_id="000102030405060708090a0b0c0d0e0f",
        span_id="0001020304050607",
        parent_id=None,
        name="ask",
        kind=3,
        start=5,
        end=9,
        attributes={"a": "b"},
        events=(SpanEvent("exception", 7, {"exception.type": "E"}, 1),),
        failed=True,
        status_message="broken",
        scope="app",
        resource={"service.name": "ferries"},
        trace_state="ot=th:8",
        dropped_attributes=2,
        flags=0x300,
        dropped_events=3,
    )
    assert span.parent_is_remote


def test_attributes_of_every_type_become_python_values() -> None:
    """Nested lists and mappings, bytes and empty values are legal since OTLP 1.9."""
    nested = KeyValueList(values=[KeyValue(key="n", value=AnyValue(int_value=-3))])
    values = [
        KeyValue(key="flag", value=AnyValue(bool_value=False)),
        KeyValue(key="whole", value=AnyValue(int_value=2**62)),
        KeyValue(key="raw", value=AnyValue(bytes_value=b"\xff")),
        KeyValue(key="none", value=AnyValue()),
        KeyValue(
            key="list",
            value=AnyValue(array_value=ArrayValue(values=[AnyValue(kvlist_value=nested), AnyValue()])),
        ),
    ]
    (span,) = spans_of(request(WireSpan(attributes=values)))
    assert span.attributes == {
        "flag": False,
        "whole": 2**62,
        "raw": b"\xff",
        "none": None,
        "list": [{"n": -3}, None],
    }


def test_numbers_that_are_none_survive_decoding() -> None:
    """Readers turn them into unknown; the decoder does not judge."""
    values = [KeyValue(key="x", value=AnyValue(double_value=math.nan))]
    (span,) = spans_of(request(WireSpan(attributes=values)))
    number = span.attributes["x"]
    assert isinstance(number, float)
    assert math.isnan(number)


def test_concatenated_payloads_are_their_union() -> None:
    """Protobuf says so, and the store relies on it."""
    one, two = request(WireSpan(name="one")), request(WireSpan(name="two"))
    assert [span.name for span in spans_of(one + two)] == ["one", "two"]


def test_bytes_that_are_no_spans_are_refused() -> None:
    """The caller says which file or row it was."""
    with pytest.raises(DecodeError):
        spans_of(b"\xff\xff\xff")


def test_log_events_keep_their_name_place_and_body() -> None:
    """A mapping as body gives its fields, with the attributes over them; records without a trace are left out."""
    body = AnyValue(kvlist_value=KeyValueList(values=[text("content", "why?"), text("role", "body")]))
    records = [
        LogRecord(trace_id=TRACE_ID, span_id=SPAN_ID, event_name="e", time_unix_nano=3, body=body),
        LogRecord(trace_id=TRACE_ID, observed_time_unix_nano=4, body=AnyValue(string_value="plain")),
        LogRecord(event_name="no trace"),
    ]
    records[0].attributes.append(text("role", "attribute"))
    records[1].attributes.append(text("event.name", "old"))
    data = LogsData(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])])
    trace_id = TRACE_ID.hex()
    assert logs_of(data.SerializeToString()) == [
        LogEvent(trace_id, SPAN_ID.hex(), "e", 3, {"content": "why?", "role": "attribute"}),
        LogEvent(trace_id, None, "old", 4, {"body": "plain", "event.name": "old"}),
    ]
