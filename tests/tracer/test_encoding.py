"""Spans in OTLP's bytes and texts in JSON, against the libraries that would write them otherwise."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from importlib.metadata import version

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState
from opentelemetry.util.types import AttributeValue

from ragvigil.tracer._encoding import encoded_request, encoded_span, envelope_size, varint
from ragvigil.tracer._quoting import quoted

OLD_ENCODER = tuple(map(int, version("opentelemetry-exporter-otlp-proto-common").split(".")[:2])) < (1, 33)
"""Whether the SDK's own encoder still leaves out what a scope says of itself."""
VALUES: list[AttributeValue] = [
    "",
    "water",
    "水" * 5_000,
    True,
    False,
    0,
    1,
    -1,
    127,
    128,
    2**63 - 1,
    -(2**63),
    0.0,
    -1.5,
    1e300,
    ("a", "ä", ""),
    (1, 2, 300),
    (True, False),
    (0.5,),
    (),
]
SERVICES = [Resource({"service.name": "a", "replicas": 3}, "https://example.org/schema"), Resource({})]
SCOPES = [
    InstrumentationScope("ragvigil", "1.0", "https://example.org/scope", {"team": "search"}),
    InstrumentationScope("bare"),
    None,
]


def span_of(seed: int) -> ReadableSpan:
    """A span with a bit of everything."""
    chosen = random.Random(seed)

    def context(*, remote: bool) -> SpanContext:
        state = TraceState([("ot", "th:c"), ("vendor", "x")]) if chosen.random() < 0.5 else None
        return SpanContext(
            chosen.getrandbits(127) + 1, chosen.getrandbits(63) + 1, remote, TraceFlags(1), state
        )

    def attributes() -> dict[str, AttributeValue]:
        return {f"attribute.{index}": chosen.choice(VALUES) for index in range(chosen.randrange(6))}

    few = range(chosen.randrange(3))
    status = chosen.choice(
        [Status(), Status(StatusCode.OK), Status(StatusCode.ERROR, "no 水"), Status(StatusCode.ERROR)]
    )
    return ReadableSpan(
        name=chosen.choice(["chat", "ask 水", "x" * 300]),
        context=context(remote=False),
        parent=chosen.choice([None, context(remote=False), context(remote=True)]),
        resource=chosen.choice(SERVICES),
        attributes=attributes(),
        events=[Event(f"event {index}", attributes(), 1_700_000_000_000_000_000 + index) for index in few],
        links=[Link(context(remote=chosen.random() < 0.5), attributes()) for _ in few],
        kind=chosen.choice(list(SpanKind)),
        status=status,
        start_time=1_700_000_000_000_000_000,
        end_time=1_700_000_000_000_000_000 + chosen.randrange(10**12),
        instrumentation_scope=chosen.choice(SCOPES),
    )


def request_of(spans: Sequence[ReadableSpan]) -> bytes:
    """The spans in a request, as they are."""
    return encoded_request(
        [(span, encoded_span(span, dict(span.attributes or {}), span.status)) for span in spans]
    )


@pytest.mark.parametrize("seed", range(40))
def test_our_bytes_say_what_the_sdks_encoder_says(seed: int) -> None:
    """Every field, for spans of several services and scopes; grouped in the order of their first spans."""
    spans = [span_of(100 * seed + index) for index in range(1 + seed % 7)]
    ours, theirs = ExportTraceServiceRequest.FromString(request_of(spans)), encode_spans(spans)
    if OLD_ENCODER:
        for group in (scope for service in ours.resource_spans for scope in service.scope_spans):
            group.schema_url = ""
            del group.scope.attributes[:]
    assert ours == theirs


def test_what_stands_around_spans_is_not_underestimated() -> None:
    """A request is the spans' bytes and at most the envelopes of its services and scopes."""
    for seed in range(200):
        span = span_of(seed)
        data = encoded_span(span, dict(span.attributes or {}), span.status)
        assert len(request_of([span])) <= len(data) + envelope_size(span)


def test_values_that_otlp_has_no_field_for_are_printed_and_surrogates_replaced() -> None:
    """The SDK's encoder would lose the attribute, or the batch."""
    span = span_of(1)
    odd: dict[str, object] = {
        "big": 2**70,
        "half": "a\ud800",
        "none": None,
        "inner": {"a": [1, "b"]},
        "raw": b"\xff",
    }
    data = encoded_request([(span, encoded_span(span, odd, span.status))])
    (scope,) = ExportTraceServiceRequest.FromString(data).resource_spans[0].scope_spans
    values = {entry.key: entry.value for entry in scope.spans[0].attributes}
    assert (values["big"].string_value, values["half"].string_value) == (str(2**70), "a?")
    assert values["none"].WhichOneof("value") is None
    assert values["inner"].kvlist_value.values[0].value.array_value.values[1].string_value == "b"
    assert values["raw"].bytes_value == b"\xff"


@pytest.mark.parametrize("number", [0, 127, 128, 0x3FFF, 0x4000, 2**32, 2**64 - 1])
def test_numbers_of_any_size_are_read_back(number: int) -> None:
    """Seven bits a byte, the last without its highest bit."""
    data = varint(number)
    assert sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data)) == number
    assert [byte >= 0x80 for byte in data] == [True] * (len(data) - 1) + [False]


def test_a_quoted_text_is_what_json_writes() -> None:
    """Quotes, backslashes, line ends, control characters, other scripts, and half of a surrogate pair."""
    letters = 'ab "\\\n\r\t\b\f\x00\x1f\x7fé水\U00010400\u2028\ud800'
    chosen = random.Random(7)
    for _ in range(5_000):
        among = letters[: chosen.randint(1, len(letters))]
        text = "".join(chosen.choices(among, k=chosen.randint(0, 9)))
        assert quoted(text) == json.dumps(text, ensure_ascii=False)
