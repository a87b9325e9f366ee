"""Protobuf requests become rows: one a trace, nothing lost, bad spans rejected alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from ragvigil.scorer.receive.decode import LOGS, SPANS, Decoded, decode
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Reason, Refusal
from ragvigil.scorer.receive.wire import framed

Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]


def decoded(request: ExportTraceServiceRequest | bytes, limits: Limits | None = None) -> Decoded:
    """The request as it would arrive over the wire."""
    body = request if isinstance(request, bytes) else request.SerializeToString()
    return decode(body, SPANS, "protobuf", limits or Limits(), received_at=7)


def spans_of(payload: bytes) -> list[Span]:
    """Every span of a row."""
    return [
        span
        for resource in TracesData.FromString(payload).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def test_each_trace_becomes_one_row_that_keeps_resource_scope_and_schema(
    request_of: Request, span_of: SpanOf
) -> None:
    """Two traces, mixed in one scope, come apart without losing what describes them."""
    spans = [span_of(1, 1), span_of(2, 2), span_of(1, 3, note="æ")]
    result = decoded(request_of(spans))
    first, second = result.rows
    assert (first.kind, first.trace_id, first.received_at) == ("spans", spans[0].trace_id, 7)
    assert TracesData.FromString(first.payload) == TracesData(
        resource_spans=request_of([spans[0], spans[2]]).resource_spans
    )
    assert spans_of(second.payload) == [spans[1]]
    assert (result.accepted, result.rejected.total(), result.error_message) == (3, 0, None)


def test_a_trace_over_several_resources_and_scopes_stays_in_one_row(
    request_of: Request, span_of: SpanOf
) -> None:
    """A request may hold the same trace from several services."""
    request = request_of([span_of(1, 1), span_of(2, 2)])
    request.MergeFrom(request_of([span_of(1, 3)]))
    request.resource_spans[1].resource.attributes[0].value.string_value = "other"
    request.resource_spans[1].scope_spans.add().spans.append(span_of(1, 4))
    first, second = decoded(request).rows
    assert [span.span_id[-1] for span in spans_of(first.payload)] == [1, 3, 4]
    services = [
        resource.resource.attributes[0].value.string_value
        for resource in TracesData.FromString(first.payload).resource_spans
    ]
    assert services == ["shop", "other", "other"]
    assert [span.span_id[-1] for span in spans_of(second.payload)] == [2]


def test_an_empty_request_is_a_success() -> None:
    """OTLP says so."""
    assert decoded(b"") == Decoded()


def test_fields_of_a_later_protocol_version_survive(request_of: Request, span_of: SpanOf) -> None:
    """Unknown fields, of any wire type, are kept for whoever knows them."""
    unknown = b"\xf8\x07\x96\x01" + b"\xf1\x07" + bytes(8) + b"\xf5\x07" + bytes(4) + b"\xfa\x07\x03new"
    span = Span.FromString(span_of(1, 1).SerializeToString() + unknown)
    (row,) = decoded(request_of([span])).rows
    (found,) = spans_of(row.payload)
    assert found.SerializeToString() == span.SerializeToString()


@pytest.mark.parametrize(
    ("trace_id", "span_id", "reason", "message"),
    [
        (b"", b"s" * 8, "trace_id", r"trace_id must be 16 bytes .* got none"),
        (b"t" * 15, b"s" * 8, "trace_id", r"trace_id must be 16 bytes .* got 15 bytes"),
        (bytes(16), b"s" * 8, "trace_id", r"got all zeros"),
        (b"t" * 16, b"", "span_id", r"span_id must be 8 bytes .* got none"),
        (b"t" * 16, b"s" * 16, "span_id", r"span_id must be 8 bytes .* got 16 bytes"),
    ],
)
def test_a_span_without_proper_ids_is_rejected_alone(
    request_of: Request, span_of: SpanOf, trace_id: bytes, span_id: bytes, reason: str, message: str
) -> None:
    """Its neighbours are kept, and the first problem names the field."""
    bad = Span(trace_id=trace_id, span_id=span_id)
    result = decoded(request_of([span_of(1, 1), bad, span_of(1, 3)]))
    assert [span.span_id[-1] for span in spans_of(result.rows[0].payload)] == [1, 3]
    assert (result.accepted, dict(result.rejected)) == (2, {reason: 1})
    assert re.search(message, result.error_message or "")


def test_a_huge_attribute_is_rejected_alone_and_named(request_of: Request, span_of: SpanOf) -> None:
    """20 MB in one attribute: the message says which one and what the limit is."""
    huge = span_of(1, 2, small="x", prompt="x" * 20_000_000)
    result = decoded(request_of([span_of(1, 1), huge, span_of(2, 3)]))
    assert [len(spans_of(row.payload)) for row in result.rows] == [1, 1]
    assert dict(result.rejected) == {"too_large": 1}
    assert result.error_message
    assert "largest attribute: 'prompt', 20000" in result.error_message
    assert "the limit is 4194304" in result.error_message


def test_text_that_is_not_utf8_rejects_its_span_alone(request_of: Request, span_of: SpanOf) -> None:
    """One broken span among a hundred is found."""
    spans = [span_of(1, number, text="BROKEN").SerializeToString() for number in range(1, 101)]
    spans[49] = spans[49].replace(b"BROKEN", b"\xff\xfe\xfd...")
    result = decoded(framed(1, framed(2, b"".join(framed(2, span) for span in spans))))
    assert [span.span_id[-1] for span in spans_of(result.rows[0].payload)] == [*range(1, 50), *range(51, 101)]
    assert dict(result.rejected) == {"unreadable": 1}


def deep_span(span: Span, levels: int) -> bytes:
    """The span with an attribute that is a list in a list in a list, as bytes: protobuf itself would balk."""
    value = framed(1, b"deep")
    for _ in range(levels):
        value = framed(5, framed(1, value))
    return span.SerializeToString() + framed(9, framed(1, b"k") + framed(2, value))


def test_whatever_is_accepted_can_be_read_as_a_row(span_of: SpanOf) -> None:
    """A value nested so deep that only the bare span could be parsed is rejected, not acked."""
    accepted: list[int] = []
    for levels in range(40, 60):
        spans = framed(2, deep_span(span_of(1, 1), levels)) + framed(2, span_of(2, 2).SerializeToString())
        result = decoded(framed(1, framed(2, spans)))
        assert result.accepted + result.rejected.total() == 2
        assert sum(len(spans_of(row.payload)) for row in result.rows) == result.accepted
        accepted.append(result.accepted)
    assert accepted == sorted(accepted, reverse=True)
    assert (accepted[0], accepted[-1]) == (2, 1)


def test_a_resource_that_cannot_be_read_rejects_its_spans_only(request_of: Request, span_of: SpanOf) -> None:
    """The other resource's spans are kept."""
    good, bad = (request_of([span_of(number, number)]).SerializeToString() for number in (1, 2))
    result = decoded(good + bad.replace(b"shop", b"\xff\xff\xff\xff"))
    assert [row.trace_id[-1] for row in result.rows] == [1]
    assert dict(result.rejected) == {"unreadable": 1}


@pytest.mark.parametrize(
    "body", [b"not protobuf", b"\x0a\xff", b"\x0b", b"\x0a\x05abc", b"\xff" * 12, b'{"a":1}']
)
def test_what_is_not_protobuf_is_refused_as_a_whole(body: bytes) -> None:
    """400 in either protocol, with words."""
    with pytest.raises(Refusal) as caught:
        decoded(body)
    assert caught.value.reason is Reason.MALFORMED
    assert "protobuf" in str(caught.value)


def test_a_body_of_countless_tiny_parts_is_refused_soon() -> None:
    """Two bytes each on the wire must not cost a minute."""
    with pytest.raises(Refusal, match="more than 1000 parts"):
        decoded(b"\x0a\x00" * 5_000, Limits(max_parts=1_000))


@given(st.binary(max_size=300))
def test_any_bytes_are_decoded_or_refused(body: bytes) -> None:
    """Nothing else is ever raised, and whatever becomes a row can be read."""
    try:
        result = decoded(body)
    except Refusal:
        return
    for row in result.rows:
        spans_of(row.payload)


@given(st.data())
def test_a_damaged_request_never_hurts(data: st.DataObject) -> None:
    """Bytes of a sound request changed at random places: decoded or refused, rows readable."""
    body = bytearray(SOUND + SOUND)
    for _ in range(data.draw(st.integers(1, 6))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try:
        result = decoded(bytes(body))
    except Refusal:
        return
    assert sum(len(spans_of(row.payload)) for row in result.rows) == result.accepted


def _sound() -> bytes:
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for number in (1, 2, 3):
        span = scope.spans.add(trace_id=b"t" * 16, span_id=bytes((number,)) * 8, name="one")
        span.attributes.add(key="k").value.kvlist_value.values.add(key="in").value.double_value = 0.5
    return request.SerializeToString()


SOUND = _sound()


def test_log_records_split_by_trace_and_those_without_one_are_put_aside() -> None:
    """A service's ordinary log lines are no error and no work."""
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    scope.log_records.add(trace_id=b"a" * 16, span_id=b"s" * 8, event_name="gen_ai.evaluation.result")
    scope.log_records.add(trace_id=b"b" * 16)
    scope.log_records.add().body.string_value = "GET / 200"
    scope.log_records.add(trace_id=b"short")
    result = decode(request.SerializeToString(), LOGS, "protobuf", Limits(), received_at=1)
    assert [(row.kind, row.trace_id) for row in result.rows] == [("logs", b"a" * 16), ("logs", b"b" * 16)]
    assert (result.accepted, result.ignored, dict(result.rejected)) == (2, 1, {"trace_id": 1})
    (record,) = LogsData.FromString(result.rows[0].payload).resource_logs[0].scope_logs[0].log_records
    assert record == scope.log_records[0]


def test_what_was_rejected_is_told_in_one_line(request_of: Request, span_of: SpanOf) -> None:
    """How many, why, and the first one's fix, for whoever reads a file; nothing when all was taken."""
    bad = [Span(trace_id=b"short"), Span(trace_id=b"t" * 16), Span(), span_of(1, 1)]
    said = decoded(request_of(bad)).rejection(SPANS) or ""
    assert said.startswith(
        "3 spans rejected (trace_id 2, span_id 1); the first: span rejected: trace_id must"
    )
    assert decoded(request_of([span_of(1, 1)])).rejection(SPANS) is None
