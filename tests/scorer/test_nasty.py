"""Whatever the receiver takes in, the scorer can store: the nastiest spans, from their bytes to the ledger."""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData
from tests.scorer.assembly.test_assembly_properties import Scorer

from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.receive.decode import SPANS, Encoding, decode
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Refusal

LIMITS = Limits(max_body_bytes=2**20)
YEARS = {1970: 1, 2025: 1_736_000_000 * 10**9, 2500: 16_725_225_600 * 10**9}
MOMENTS = st.sampled_from([0, *YEARS.values(), 2**63 - 1, 2**63, 2**64 - 1])
"""As nanoseconds since 1970; SQLite has no whole numbers from 2 ** 63 on, which is in 2262."""
KEYS = st.sampled_from(
    [
        *(
            "openinference.span.kind",
            "input.value",
            "output.value",
            "session.id",
            "user.id",
            "gen_ai.operation.name",
        ),
        *(
            "gen_ai.usage.input_tokens",
            "llm.token_count.prompt",
            "retrieval.documents.0.document.id",
            "ragvigil.x",
        ),
        *("retrieval.documents.0.document.score", "retrieval.documents.999999.document.content", "", "\0"),
    ]
)
TEXTS = st.sampled_from(
    ["CHAIN", "LLM", "RETRIEVER", "chat", "", "\0", "[" * 5_000, '{"a":' * 900, "\ud7ff\U0010ffff"]
)
PLAIN: st.SearchStrategy[dict[str, object]] = st.one_of(
    TEXTS.map(lambda text: {"stringValue": text}),
    st.sampled_from([0, -1, 87, "87", 87.0, 2**63 - 1, str(-(2**63))]).map(
        lambda number: {"intValue": number}
    ),
    st.sampled_from([0.5, "NaN", "Infinity", 1e308, -0.0]).map(lambda number: {"doubleValue": number}),
    st.just({"bytesValue": "AAH/"}),
    st.just({"boolValue": True}),
    st.just({}),
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: {"arrayValue": {"values": items}}),
        st.lists(st.tuples(KEYS, inner), max_size=3).map(
            lambda pairs: {"kvlistValue": {"values": [{"key": key, "value": value} for key, value in pairs]}}
        ),
    ),
    max_leaves=6,
)
ATTRIBUTES = st.lists(st.tuples(KEYS, VALUES), max_size=8).map(
    lambda pairs: [{"key": key, "value": value} for key, value in pairs]
)
TRACE_IDS = st.sampled_from(
    ["5b8efff798038103d269b633813fc60c", "5B8EFFF798038103D269B633813FC60D", "ab", "", "0" * 32]
)
SPAN_IDS = st.sampled_from(["eee19b7ec3c1b174", "EEE19B7EC3C1B175", "eee19b7e", "", "0" * 16])
SPANS_IN_JSON = st.fixed_dictionaries(
    {"traceId": TRACE_IDS, "spanId": SPAN_IDS, "attributes": ATTRIBUTES},
    optional={
        "parentSpanId": SPAN_IDS,
        "name": TEXTS,
        "startTimeUnixNano": MOMENTS.map(str),
        "endTimeUnixNano": MOMENTS,
        "events": st.lists(
            st.fixed_dictionaries({"timeUnixNano": MOMENTS.map(str), "attributes": ATTRIBUTES})
        ),
        "status": st.just({"code": 2, "message": "no"}),
        "droppedAttributesCount": st.sampled_from([0, 2**32 - 1]),
    },
)


def taken(body: bytes, encoding: Encoding) -> list[Arrival]:
    """What a receiver would stage of it; nothing when it refuses for good, as bad data is refused."""
    try:
        return list(decode(body, SPANS, encoding, LIMITS, received_at=1).rows)
    except Refusal as refusal:
        if refusal.retry_seconds is not None:
            raise
        return []


def stored(rows: list[Arrival]) -> None:
    """All of it ends in the ledger, and nothing of it as a failure."""
    with tempfile.TemporaryDirectory() as folder, closing(Scorer(Path(folder))) as scorer:
        if rows:
            scorer.writer.append(rows).result(10)
        scorer.settle()
        ledger = scorer.ledger()
        assert ledger.balanced
        assert ledger.ingested >= len({row.trace_id for row in rows})
        assert "failed" not in ledger.states, ledger


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(spans=st.lists(SPANS_IN_JSON, min_size=1, max_size=4), resource=ATTRIBUTES)
def test_any_span_in_json_is_refused_or_ends_in_the_ledger(
    spans: list[dict[str, object]], resource: list[dict[str, object]]
) -> None:
    """Ids of wrong length, 1970 and 2500, numbers as texts, nested pairs, deep JSON in texts."""
    entry = {"resource": {"attributes": resource}, "scopeSpans": [{"spans": spans}]}
    stored(taken(json.dumps({"resourceSpans": [entry]}).encode(), "json"))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_damage_to_protobuf_is_refused_or_ends_in_the_ledger(data: st.DataObject) -> None:
    """Bytes of a good request changed, doubled, left out: invalid UTF-8, lengths that lie, other types of fields."""
    message = TracesData()
    span = (
        message.resource_spans.add()
        .scope_spans.add()
        .spans.add(trace_id=b"t" * 16, span_id=b"s" * 8, name="ask", kind=Span.SPAN_KIND_SERVER)
    )
    span.start_time_unix_nano = data.draw(MOMENTS)
    span.end_time_unix_nano = data.draw(MOMENTS)
    for key, text in (("openinference.span.kind", "CHAIN"), ("input.value", "Why?"), ("output.value", "So.")):
        span.attributes.add(key=key).value.string_value = text
    body = bytearray(message.SerializeToString())
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(body) - 1))
        body[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
    stored(taken(bytes(body), "protobuf"))


@pytest.mark.parametrize("year", YEARS)
def test_a_question_of_any_year_is_a_record(year: int) -> None:
    """Clocks that were never set, and those that were set wrong."""
    message = TracesData()
    span = (
        message.resource_spans.add()
        .scope_spans.add()
        .spans.add(trace_id=b"t" * 16, span_id=b"s" * 8, name="ask")
    )
    span.start_time_unix_nano, span.end_time_unix_nano = YEARS[year], YEARS[year] + 10**9
    for key, text in (("openinference.span.kind", "CHAIN"), ("input.value", "Why?"), ("output.value", "So.")):
        span.attributes.add(key=key).value.string_value = text
    with tempfile.TemporaryDirectory() as folder, closing(Scorer(Path(folder))) as scorer:
        scorer.writer.append(taken(message.SerializeToString(), "protobuf")).result(10)
        scorer.settle()
        assert [(record.query, record.answer) for record in scorer.records()] == [("Why?", "So.")]
