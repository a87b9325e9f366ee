"""OTLP-JSON reads into exactly what the same request in protobuf holds."""

from __future__ import annotations

import base64
import json
import math
import re
from contextlib import suppress
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status, TracesData

from ragvigil.scorer.receive.answers import accepted, encoded
from ragvigil.scorer.receive.decode import LOGS, SPANS, Decoded, Signal, decode
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Refusal

IDS = {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174"}


def decoded(body: object, limits: Limits | None = None) -> Decoded:
    """A JSON request, decoded."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return decode(raw, SPANS, "json", limits or Limits(), received_at=1)


def request(*spans: dict[str, Any]) -> dict[str, Any]:
    """A JSON request of these spans."""
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def only_span(result: Decoded) -> Span:
    """The one span of the one row."""
    (row,) = result.rows
    return TracesData.FromString(row.payload).resource_spans[0].scope_spans[0].spans[0]


def value_of(value: object) -> AnyValue:
    """What an attribute with this JSON value reads as."""
    return (
        only_span(decoded(request({**IDS, "attributes": [{"key": "k", "value": value}]}))).attributes[0].value
    )


texts = st.text(max_size=8)
scalars = st.one_of(
    texts.map(lambda text: AnyValue(string_value=text)),
    st.booleans().map(lambda truth: AnyValue(bool_value=truth)),
    st.integers(-(2**63), 2**63 - 1).map(lambda number: AnyValue(int_value=number)),
    st.floats(allow_nan=False).map(lambda number: AnyValue(double_value=number)),
    st.binary(max_size=8).map(lambda content: AnyValue(bytes_value=content)),
    st.just(AnyValue()),
)


def grown(inner: st.SearchStrategy[AnyValue]) -> st.SearchStrategy[AnyValue]:
    """Lists and key-value lists of values."""

    def listed(values: list[AnyValue]) -> AnyValue:
        value = AnyValue()
        value.array_value.values.extend(values)
        return value

    def keyed(values: dict[str, AnyValue]) -> AnyValue:
        value = AnyValue()
        value.kvlist_value.values.extend(KeyValue(key=key, value=one) for key, one in values.items())
        return value

    return st.lists(inner, max_size=3).map(listed) | st.dictionaries(texts, inner, max_size=3).map(keyed)


values = st.recursive(scalars, grown, max_leaves=6)
attributes = st.dictionaries(texts, values, max_size=4).map(
    lambda found: [KeyValue(key=key, value=value) for key, value in found.items()]
)
times = st.integers(0, 2**64 - 1)
ids = st.binary(min_size=8, max_size=8).filter(any)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    """Spans with every kind of field."""
    span = Span(
        trace_id=draw(st.sampled_from([b"a" * 16, b"b" * 16])),
        span_id=draw(ids),
        parent_span_id=draw(ids | st.just(b"")),
        trace_state=draw(texts),
        flags=draw(st.integers(0, 2**32 - 1)),
        name=draw(texts),
        kind=draw(st.sampled_from(Span.SpanKind.values())),
        start_time_unix_nano=draw(times),
        end_time_unix_nano=draw(times),
        attributes=draw(attributes),
        dropped_attributes_count=draw(st.integers(0, 2**32 - 1)),
    )
    for _ in range(draw(st.integers(0, 2))):
        span.events.add(time_unix_nano=draw(times), name=draw(texts), attributes=draw(attributes))
        span.links.add(trace_id=b"c" * 16, span_id=draw(ids), attributes=draw(attributes))
    if draw(st.booleans()):
        span.status.code = draw(st.sampled_from(Status.StatusCode.values()))
        span.status.message = draw(texts)
    return span


@st.composite
def requests(draw: st.DrawFn) -> ExportTraceServiceRequest:
    """Requests of a few resources and scopes."""
    made = ExportTraceServiceRequest()
    for _ in range(draw(st.integers(0, 2))):
        entry = made.resource_spans.add(schema_url=draw(texts))
        entry.resource.attributes.extend(draw(attributes))
        for _ in range(draw(st.integers(0, 2))):
            scope = entry.scope_spans.add(schema_url=draw(texts))
            scope.scope.name = draw(texts)
            scope.spans.extend(draw(st.lists(spans(), max_size=3)))
    return made


def as_otlp_json(message: ExportTraceServiceRequest) -> dict[str, Any]:
    """As OTLP wants it: like protobuf's JSON, but with ids in hex and enums as numbers."""
    made = MessageToDict(message, use_integers_for_enums=True)
    _hex_ids(made)
    return made


def _hex_ids(value: object) -> None:
    if isinstance(value, list):
        for one in value:  # pyright: ignore[reportUnknownVariableType]  # any JSON
            _hex_ids(one)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, dict):
        found: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        for key, one in found.items():
            if key in ("traceId", "spanId", "parentSpanId"):
                found[key] = base64.b64decode(one).hex()
            else:
                _hex_ids(one)


@settings(max_examples=60, deadline=None)
@given(requests())
def test_json_and_protobuf_decode_alike(message: ExportTraceServiceRequest) -> None:
    """The same request in both encodings gives equal rows, field by field."""
    binary = decode(message.SerializeToString(), SPANS, "protobuf", Limits(), received_at=1)
    text = decoded(as_otlp_json(message))
    assert [row.trace_id for row in text.rows] == [row.trace_id for row in binary.rows]
    assert [TracesData.FromString(row.payload) for row in text.rows] == [
        TracesData.FromString(row.payload) for row in binary.rows
    ]
    assert text.accepted == binary.accepted


@settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "resourceSpans",
                        "scopeSpans",
                        "spans",
                        "resource",
                        "scope",
                        "attributes",
                        "key",
                        "value",
                        "traceId",
                        "spanId",
                        "arrayValue",
                        "values",
                        "intValue",
                        "kind",
                        "status",
                        "events",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_any_json_is_decoded_or_refused(body: object) -> None:
    """Nothing else is ever raised."""
    for signal in (SPANS, LOGS):
        with suppress(Refusal):
            decode(json.dumps(body).encode(), signal, "json", Limits(), received_at=1)


def test_ids_are_hex_in_either_case() -> None:
    """Not base64, as protobuf's own JSON would have it."""
    span = only_span(decoded(request({key: value.upper() for key, value in IDS.items()})))
    assert (span.trace_id.hex(), span.span_id.hex()) == tuple(IDS.values())


@pytest.mark.parametrize("sent", [87, "87", 87.0])
def test_whole_numbers_come_as_strings_or_numbers(sent: object) -> None:
    """Python writes a string, JavaScript a number."""
    assert value_of({"intValue": sent}) == AnyValue(int_value=87)
    assert only_span(decoded(request({**IDS, "startTimeUnixNano": sent}))).start_time_unix_nano == 87


def test_doubles_may_be_words() -> None:
    """NaN and the infinities have no number in JSON."""
    assert math.isnan(value_of({"doubleValue": "NaN"}).double_value)
    assert value_of({"doubleValue": "-Infinity"}).double_value == -math.inf
    assert value_of({"doubleValue": 3}).double_value == 3.0


def test_values_may_be_bytes_empty_or_nested() -> None:
    """All that attribute values may be since protocol 1.9."""
    assert value_of({"bytesValue": "AAE="}) == AnyValue(bytes_value=b"\0\1")
    assert value_of({}).WhichOneof("value") is None
    listed = value_of({"arrayValue": {"values": [{"stringValue": "a"}, {}]}})
    assert [one.string_value for one in listed.array_value.values] == ["a", ""]
    keyed = value_of({"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": True}}]}})
    assert keyed.kvlist_value.values[0].value.bool_value


def test_unknown_fields_are_ignored_and_null_is_absent() -> None:
    """Later versions of the protocol may say more."""
    span = only_span(
        decoded(request({**IDS, "name": None, "newField": {"a": [1]}, "status": {"message": "m"}}))
    )
    assert (span.name, span.status.message) == ("", "m")


def test_enums_are_numbers_and_names_are_forgiven() -> None:
    """The specification wants numbers; hand-written senders use names."""
    assert only_span(decoded(request({**IDS, "kind": 3}))).kind == Span.SPAN_KIND_CLIENT
    assert only_span(decoded(request({**IDS, "kind": "SPAN_KIND_CLIENT"}))).kind == Span.SPAN_KIND_CLIENT


def test_half_a_surrogate_pair_does_not_cost_the_span() -> None:
    """JavaScript senders that truncate text leave one behind."""
    assert value_of({"stringValue": "cut \ud83d"}).string_value == "cut \ufffd"


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"traceId": "xyz"}, "traceId must be hex"),
        ({"traceId": 12}, "traceId must be hex"),
        ({"traceId": "ab"}, r"trace_id must be 16 bytes \(32 hex characters in JSON\).*got 1 bytes"),
        ({"spanId": ""}, "span_id must be 8 bytes.*got none"),
        ({"startTimeUnixNano": "tomorrow"}, "startTimeUnixNano must be a whole number"),
        ({"startTimeUnixNano": -1}, "startTimeUnixNano must be a whole number from 0"),
        ({"startTimeUnixNano": 2**64}, "startTimeUnixNano must be a whole number"),
        ({"name": 5}, "name must be a string"),
        ({"kind": "SERVER"}, "kind must be a whole number"),
        ({"attributes": {}}, "attributes must be a list"),
        ({"attributes": [5]}, "attributes must be an object"),
        (
            {"attributes": [{"key": "k", "value": {"bytesValue": "?"}}]},
            r"bytesValue must be base64.*\(attribute 'k'\)",
        ),
        ({"attributes": [{"key": "k", "value": {"boolValue": 1}}]}, "boolValue must be true or false"),
        ({"attributes": [{"key": "k", "value": {"doubleValue": "x"}}]}, "doubleValue must be a number"),
    ],
)
def test_a_span_with_a_bad_field_is_rejected_alone(field: dict[str, object], message: str) -> None:
    """The message names the field and what it takes; the neighbour is kept."""
    result = decoded(request({**IDS, **field}, IDS))
    assert (result.accepted, result.rejected.total()) == (1, 1)
    assert re.search(message, result.error_message or "")


@pytest.mark.parametrize(
    ("bad", "rejected", "message"),
    [
        (
            {"resource": {"attributes": [{"key": 5}]}, "scopeSpans": [{"spans": [IDS, IDS]}]},
            2,
            "key must be a",
        ),
        ({"schemaUrl": 7, "scopeSpans": [{"spans": [IDS]}, {}, 3]}, 2, "schemaUrl must be a string"),
        ({"scopeSpans": [{"scope": 5, "spans": [IDS]}]}, 1, "scope must be an object"),
        ({"scopeSpans": [{"spans": [None, 7, IDS | {"name": 5}]}]}, 3, "each of spans must be an object"),
        (None, 1, "each of resourceSpans must be an object"),
        ({"resource": 5}, 0, ""),
    ],
)
def test_what_cannot_be_read_costs_what_hangs_under_it_alone(
    bad: object, rejected: int, message: str
) -> None:
    """A 400 would lose the neighbours, because no sender tries that again."""
    body = request(IDS)
    body["resourceSpans"].insert(0, bad)
    result = decoded(body)
    assert (result.accepted, result.rejected.total()) == (1, rejected)
    assert message in (result.error_message or "")


def test_bytes_that_are_no_text_cost_a_character() -> None:
    """As half a surrogate pair does."""
    body = json.dumps(request({**IDS, "name": "cut here"})).encode().replace(b"here", b"he\xff\xfe")
    assert only_span(decoded(body)).name == "cut he\ufffd\ufffd"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe\xff", "not JSON"),
        (b"[]", "the JSON is a list"),
        (b'[{"resourceSpans": []}]', "send each on its own"),
        (b"7", "must be an object"),
        (b'{"resourceSpans": {}}', "resourceSpans in the body must be a list of objects"),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": 7}]}]}', "spans in scopeSpans must be a list"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deep"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "not JSON"),
        (b'{"a": NaN}', 'not JSON: the bare token NaN is no JSON value; send the string "NaN"'),
        (b'{"a": [1, Infinity]}', "the bare token Infinity is no"),
        (b'{"resourceSpans": -Infinity}', "the bare token -Infinity is no"),
    ],
)
def test_what_is_no_request_is_refused_as_a_whole(body: bytes, message: str) -> None:
    """With words that help."""
    with pytest.raises(Refusal, match=message):
        decoded(body)


def test_values_nested_too_deep_reject_their_span_alone() -> None:
    """Deeper than protobuf itself would read."""
    value: dict[str, object] = {"stringValue": "deep"}
    for _ in range(60):
        value = {"arrayValue": {"values": [value]}}
    result = decoded(request({**IDS, "attributes": [{"key": "k", "value": value}]}, IDS))
    assert (result.accepted, result.rejected.total()) == (1, 1)
    assert "attribute 'k' is nested too deep: keep lists" in (result.error_message or "")


def test_countless_values_are_refused_before_they_are_built() -> None:
    """Three bytes each on the wire, seventy in memory."""
    with pytest.raises(Refusal, match="more than 1000 values"):
        decoded(b'{"a":[' + b"{}," * 2_000 + b"{}]}", Limits(max_json_values=1_000))


_OTHER_NAMES: list[tuple[dict[str, object], Signal, str | None]] = [
    ({"resource_spans": [{}]}, SPANS, '"resource_spans" is ignored: OTLP has "resourceSpans" there'),
    ({"resourceSpans": [{"scope_spans": [{}]}]}, SPANS, '"scope_spans" is ignored'),
    ({"resourceSpans": [{"instrumentationLibrarySpans": [{}]}]}, SPANS, 'OTLP has "scopeSpans" there'),
    (
        {"resourceSpans": [{"scopeSpans": [{"Spans": [{}]}]}]},
        SPANS,
        '"Spans" is ignored: OTLP has "spans"',
    ),
    ({"resourceLogs": [{}]}, SPANS, '"resourceLogs" is ignored: OTLP has "resourceSpans" there'),
    ({"resourceSpans": [{}]}, LOGS, '"resourceSpans" is ignored: OTLP has "resourceLogs" there'),
    ({"\ud800" * 99: [{}]}, SPANS, '\\ud800" is ignored: OTLP has "resourceSpans" there'),
    ({}, SPANS, None),
    ({"resourceSpans": []}, SPANS, None),
    ({"resourceSpans": None, "note": [1]}, SPANS, None),
    ({"resourceSpans": [{"resource": {"attributes": [{}]}, "scopeSpans": [{"spans": []}]}]}, SPANS, None),
    ({"resourceLogs": [{"scopeLogs": [{"logRecords": [{}]}]}]}, LOGS, None),
]


@pytest.mark.parametrize(("request_", "signal", "told"), _OTHER_NAMES)
def test_lists_under_other_names_are_ignored_but_not_in_silence(
    request_: dict[str, object], signal: Signal, told: str | None
) -> None:
    """Unknown fields must be ignored, so a sender that spells them in snake case lost every span with a plain 200."""
    found = decode(json.dumps(request_).encode(), signal, "json", Limits(), received_at=1)
    assert (found.rows, found.rejection(signal)) == ([], found.error_message)
    assert (found.error_message is None) == (told is None)
    assert (told or "") in (found.error_message or "")
    answer = json.loads(encoded(accepted(found, signal), "json"))
    assert answer == ({"partialSuccess": {"errorMessage": found.error_message}} if told else {})
