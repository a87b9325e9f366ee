"""Throws hostile requests at the decoders: whatever comes in is decoded or refused, and nothing else happens.

python tests/soak/soak_decoders.py [--examples 50000] [--seed N]
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable

from google.protobuf.json_format import MessageToDict
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.receive.answers import accepted, encoded
from ragvigil.scorer.receive.compression import decompressed
from ragvigil.scorer.receive.decode import LOGS, SPANS, Encoding, Signal, decode
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Refusal

LIMITS = Limits(max_body_bytes=100_000, max_span_bytes=10_000, max_json_values=5_000)
TOKENS = (b"NaN", b"null", b"-1", b"1e999", b'""', b"[", b"]", b"{", b"}", b",", b'"\\ud83d"', b"\0", b"\xff")


def sound_spans() -> ExportTraceServiceRequest:
    """A request with every kind of value in it."""
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add(schema_url="https://example.com/r")
    resource.resource.attributes.add(key="service.name").value.string_value = "shop"
    scope = resource.scope_spans.add(schema_url="https://example.com/s")
    for number in (1, 2, 3):
        span = scope.spans.add(trace_id=b"t" * 15 + bytes((number % 2,)), span_id=bytes((number,)) * 8)
        span.events.add(name="event", time_unix_nano=number)
        span.links.add(trace_id=b"l" * 16, span_id=b"l" * 8)
        _every_value(span.attributes.add(key="k").value)
    return request


def sound_logs() -> ExportLogsServiceRequest:
    """Log records with and without a trace."""
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    _every_value(scope.log_records.add(trace_id=b"t" * 16, span_id=b"s" * 8).body)
    scope.log_records.add(event_name="plain").body.string_value = "GET / 200"
    return request


def _every_value(value: AnyValue) -> None:
    entries = value.kvlist_value.values
    entries.add(key="double").value.double_value = 0.5
    entries.add(key="int").value.int_value = -(2**63)
    entries.add(key="bytes").value.bytes_value = b"\0\xff"
    entries.add(key="list").value.array_value.values.add().bool_value = True


def _as_json(message: ExportTraceServiceRequest | ExportLogsServiceRequest) -> bytes:
    return json.dumps(MessageToDict(message)).encode()


SOUND: tuple[tuple[Signal, Encoding, bytes], ...] = (
    (SPANS, "protobuf", sound_spans().SerializeToString()),
    (LOGS, "protobuf", sound_logs().SerializeToString()),
    (SPANS, "json", _as_json(sound_spans())),
    (LOGS, "json", _as_json(sound_logs())),
)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[Signal, Encoding, bytes]:
    """A sound request after a few cuts, copies, foreign bytes and tokens; now and then plain noise.

    Half of them are changed in place, so that lengths still hold and the damage lies deeper.
    """
    signal, encoding, sound = draw(st.sampled_from(SOUND))
    body = sound if draw(st.integers(0, 9)) else draw(st.binary(max_size=200))
    in_place = draw(st.booleans())
    for _ in range(draw(st.integers(0, 3 if in_place else 6))):
        at = draw(st.integers(0, len(body)))
        end = min(len(body), at + draw(st.integers(0, 2 if in_place else 12)))
        same_size = st.binary(min_size=end - at, max_size=end - at)
        anything = st.sampled_from(TOKENS) | st.binary(max_size=4) | st.just(body[at:end] * 2)
        inserted = draw(same_size if in_place else anything)
        body = body[:at] + inserted + body[end:]
    return signal, encoding, body


def held(row: Arrival) -> list[bytes]:
    """Trace ids of the items in a row."""
    if row.kind == "spans":
        spans = TracesData.FromString(row.payload).resource_spans
        return [item.trace_id for resource in spans for scope in resource.scope_spans for item in scope.spans]
    logs = LogsData.FromString(row.payload).resource_logs
    return [item.trace_id for resource in logs for scope in resource.scope_logs for item in scope.log_records]


def check(signal: Signal, encoding: Encoding, body: bytes, outcomes: Counter[str]) -> None:
    """Raises AssertionError when a row is not what it says."""
    try:
        decoded = decode(body, signal, encoding, LIMITS, received_at=1)
    except Refusal as refusal:
        if refusal.retry_seconds is not None:
            raise AssertionError("the sender would come back for ever") from refusal
        outcomes[f"refused {refusal.reason.label}"] += 1
        return
    for row in decoded.rows:
        assert set(held(row)) == {row.trace_id}
    assert sum(len(held(row)) for row in decoded.rows) == decoded.accepted
    assert decoded.error_message if decoded.rejected else decoded.is_empty or not decoded.error_message
    encoded(accepted(decoded, signal), encoding)  # what a message quotes may be no text
    outcomes["partly accepted" if decoded.rejected else "accepted"] += 1


def check_gzip(body: bytes, outcomes: Counter[str]) -> None:
    """Raises when more comes out than allowed."""
    try:
        plain = decompressed(body, "zlib", limit=2_000, grow=lambda size: None)
    except Refusal as refusal:
        outcomes[f"gzip refused {refusal.reason.label}"] += 1
        return
    assert len(plain) <= 2_000
    outcomes["gzip accepted"] += 1


def fuzz(examples: int, chosen: int) -> Counter[str]:
    """How each request ended."""
    outcomes: Counter[str] = Counter()
    many = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )

    def requests(request: tuple[Signal, Encoding, bytes]) -> None:
        check(*request, outcomes)

    def compressed(request: tuple[Signal, Encoding, bytes], cut: int, noise: bytes) -> None:
        packed = gzip.compress(request[2] * 3)
        check_gzip(packed[:cut] + noise + packed[cut:], outcomes)

    runs: tuple[Callable[[], None], ...] = (
        seed(chosen)(many(given(bodies())(requests))),
        seed(chosen)(many(given(bodies(), st.integers(0, 400), st.binary(max_size=3))(compressed))),
    )
    for run in runs:
        run()
    return outcomes


def main() -> int:
    """Run the soak; a failing request ends it with the smallest one that fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--examples", type=int, default=50_000, help="of each of two kinds")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    began = time.monotonic()
    outcomes = fuzz(options.examples, options.seed)
    print(
        f"seed {options.seed}: {outcomes.total():,} requests in {time.monotonic() - began:.0f} s, none hurt"
    )
    for outcome, count in outcomes.most_common():
        print(f"  {outcome:<24} {count:>9,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
