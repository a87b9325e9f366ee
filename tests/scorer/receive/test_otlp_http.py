"""OTLP over HTTP against a real server on a real socket."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

import httpx
import pytest
from google.protobuf.json_format import MessageToDict
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil.scorer.inbox import InboxReader, Position
from ragvigil.scorer.zstd import zstd

Start = Callable[..., Awaitable[Any]]
Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]

PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json; charset=utf-8"}
WIDE_WINDOW = b"\x28\xb5\x2f\xfd\x00\x80\x11\x00\x00{}"
"""A zstd frame of two bytes that asks for a window of 64 MB."""


def as_json(*spans: Span) -> bytes:
    """A JSON request of these spans, ids in hex."""
    found = [
        {
            **MessageToDict(span, use_integers_for_enums=True),
            "traceId": span.trace_id.hex(),
            "spanId": span.span_id.hex(),
        }
        for span in spans
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": found}]}]}).encode()


async def health(client: httpx.AsyncClient, receiver: Any) -> dict[str, Any]:
    """What /healthz says."""
    answer = await client.get(f"{receiver.url}/healthz")
    found: dict[str, Any] = answer.json()
    return found


async def test_protobuf_is_stored_before_the_answer(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """200, an empty response message in protobuf, and the spans in the inbox."""
    receiver = await start()
    body = request_of([span_of(1, 1), span_of(2, 2)]).SerializeToString()
    answer = await client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "application/x-protobuf"
    assert receiver.spans() == [span_of(1, 1), span_of(2, 2)]


async def test_json_is_answered_in_json(start: Start, client: httpx.AsyncClient, span_of: SpanOf) -> None:
    """The same spans arrive from JSON."""
    receiver = await start()
    answer = await client.post(
        f"{receiver.url}/v1/traces", content=as_json(span_of(1, 1, k="v")), headers=JSON
    )
    assert (answer.status_code, answer.json()) == (200, {})
    assert answer.headers["content-type"] == "application/json"
    assert receiver.spans() == [span_of(1, 1, k="v")]


async def test_gzip_and_the_langfuse_path_are_taken(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """Langfuse's SDK posts gzip to a path of its own; several gzip members are one body."""
    receiver = await start()
    body = request_of([span_of(1, 1, text="x" * 5_000)]).SerializeToString()
    zipped = gzip.compress(body[:100]) + gzip.compress(body[100:])
    answer = await client.post(
        f"{receiver.url}/api/public/otel/v1/traces",
        content=zipped,
        headers={**PROTOBUF, "Content-Encoding": "gzip"},
    )
    assert answer.status_code == 200
    assert len(receiver.spans()) == 1


@pytest.mark.parametrize("encoding", ["deflate", "zlib", "zstd", "x-gzip"])
async def test_what_a_collector_compresses_with_is_taken(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf, encoding: str
) -> None:
    """Its exporter names zlib so, and writes zstd in frames."""
    receiver = await start()
    body = request_of([span_of(1, 1, text="x" * 5_000)]).SerializeToString()
    pack = {"zstd": zstd().compress, "x-gzip": gzip.compress}.get(encoding, zlib.compress)
    packed = pack(body[:100]) + pack(body[100:])
    answer = await client.post(
        f"{receiver.url}/v1/traces", content=packed, headers={**PROTOBUF, "Content-Encoding": encoding}
    )
    assert answer.status_code == 200
    assert len(receiver.spans()) == 1


@pytest.mark.parametrize("encoding", ["snappy", "x-snappy-framed", "lz4", "gzip, zstd"])
async def test_a_compression_that_is_not_taken_is_told_what_is(
    start: Start, client: httpx.AsyncClient, encoding: str
) -> None:
    """By the header that HTTP has for it, and in words."""
    receiver = await start()
    answer = await client.post(
        f"{receiver.url}/v1/traces", content=b"\0", headers={**JSON, "Content-Encoding": encoding}
    )
    assert (answer.status_code, answer.headers["accept-encoding"]) == (415, "gzip, deflate, zstd")
    assert "send gzip, deflate, zstd or identity" in answer.json()["message"]


async def test_logs_are_stored_and_metrics_are_put_aside(start: Start, client: httpx.AsyncClient) -> None:
    """A sender of all three signals sees no error."""
    receiver = await start()
    request = ExportLogsServiceRequest()
    request.resource_logs.add().scope_logs.add().log_records.add(trace_id=b"t" * 16)
    request.resource_logs[0].scope_logs[0].log_records.add()
    logs = await client.post(f"{receiver.url}/v1/logs", content=request.SerializeToString(), headers=PROTOBUF)
    metrics = await client.post(f"{receiver.url}/v1/metrics", content=b"{}", headers=JSON)
    assert (logs.status_code, metrics.status_code, metrics.json()) == (200, 200, {})
    assert [row.kind for row in receiver.rows()] == ["logs"]
    received = (await health(client, receiver))["received"]
    assert received["logs"] == 1
    assert received["ignored"] == {"logs_without_trace": 1, "metrics_requests": 1}


async def test_an_empty_request_is_a_success(start: Start, client: httpx.AsyncClient) -> None:
    """In both encodings."""
    receiver = await start()
    for headers, body in ((PROTOBUF, b""), (JSON, b"{}")):
        answer = await client.post(f"{receiver.url}/v1/traces", content=body, headers=headers)
        assert answer.status_code == 200


async def test_a_bad_span_is_a_partial_success_in_both_encodings(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """The response counts it and says what to do; its neighbours are stored."""
    receiver = await start()
    spans = [span_of(1, 1), Span(name="no ids"), span_of(1, 2)]
    body = request_of(spans).SerializeToString()
    binary = await client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF)
    text = await client.post(f"{receiver.url}/v1/traces", content=as_json(*spans), headers=JSON)
    partial = ExportTraceServiceResponse.FromString(binary.content).partial_success
    assert partial.rejected_spans == 1
    assert "trace_id must be 16 bytes" in partial.error_message
    assert text.json()["partialSuccess"]["rejectedSpans"] == "1"
    assert len(receiver.spans()) == 4
    assert (await health(client, receiver))["received"]["rejected"] == {"trace_id": 2}


async def test_a_20_megabyte_attribute_is_rejected_while_its_neighbours_are_kept(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """The issue's own case, over the wire."""
    receiver = await start()
    body = request_of([span_of(1, 1), span_of(1, 2, prompt="x" * 20_000_000)]).SerializeToString()
    answer = await client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF)
    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, partial.rejected_spans) == (200, 1)
    assert "'prompt'" in partial.error_message
    assert receiver.spans() == [span_of(1, 1)]


@pytest.mark.parametrize(
    ("path", "headers", "body", "status", "code", "message"),
    [
        ("/v1/traces", PROTOBUF, b"nonsense", 400, 3, "not protobuf"),
        ("/v1/traces", JSON, b"{", 400, 3, "not JSON"),
        ("/v1/traces", {"Content-Type": "text/plain"}, b"hello", 415, 3, "'text/plain' is not supported"),
        ("/v1/traces", {}, b"hello", 415, 3, "Content-Type"),
        ("/v1/traces", {**PROTOBUF, "Content-Encoding": "br"}, b"", 415, 3, "'br' is not supported"),
        ("/v1/traces", {**PROTOBUF, "Content-Encoding": "gzip"}, b"plain", 400, 3, "not gzip"),
        ("/v1/traces", {**JSON, "Content-Encoding": "gzip"}, gzip.compress(b"{}")[:12], 400, 3, "cut short"),
        (
            "/v1/traces",
            {**JSON, "Content-Encoding": "deflate"},
            zlib.compress(b"{}")[:6],
            400,
            3,
            "cut short",
        ),
        (
            "/v1/traces",
            {**JSON, "Content-Encoding": "zstd"},
            zstd().compress(b"{}")[:9],
            400,
            3,
            "cut short",
        ),
        ("/v1/traces", {**JSON, "Content-Encoding": "zstd"}, b"{}", 400, 3, "not zstd"),
        ("/v1/traces", {**JSON, "Content-Encoding": "zstd"}, WIDE_WINDOW, 400, 3, "not zstd"),
        (
            "/v1/traces",
            {**JSON, "Content-Encoding": "gzip"},
            gzip.compress(b"") * 20_000,
            400,
            3,
            "10000 members",
        ),
        ("/v2/traces", JSON, b"{}", 404, 12, "POST to /v1/traces"),
    ],
)
async def test_bad_data_gets_a_status_in_its_own_encoding(
    start: Start,
    client: httpx.AsyncClient,
    path: str,
    headers: dict[str, str],
    body: bytes,
    status: int,
    code: int,
    message: str,
) -> None:
    """A google.rpc.Status with words in it, never a 500, and it is counted."""
    receiver = await start()
    answer = await client.post(f"{receiver.url}{path}", content=body, headers=headers)
    assert answer.status_code == status
    if answer.headers["content-type"] == "application/x-protobuf":
        found = Status.FromString(answer.content)
        assert (found.code, message in found.message) == (code, True)
    else:
        assert (answer.json()["code"], message in answer.json()["message"]) == (code, True)
    assert ("protobuf" in answer.headers["content-type"]) == ("protobuf" in headers.get("Content-Type", ""))
    assert sum((await health(client, receiver))["received"]["refused"].values()) == 1


async def test_get_on_an_export_path_says_what_to_do(start: Start, client: httpx.AsyncClient) -> None:
    """A person with a browser."""
    receiver = await start()
    answer = await client.get(f"{receiver.url}/v1/traces")
    assert (answer.status_code, "POST to" in answer.json()["message"]) == (405, True)
    assert answer.headers["allow"] == "POST"


async def test_bodies_over_the_limit_are_refused_declared_or_not(
    start: Start, client: httpx.AsyncClient
) -> None:
    """413 by Content-Length, by counting a chunked body, and by what gzip and zstd unfold to."""
    receiver = await start(receive={"max_body_bytes": 100_000})

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield bytes(10_000)

    url = f"{receiver.url}/v1/traces"
    declared = await client.post(url, content=bytes(200_000), headers=PROTOBUF)
    counted = await client.post(url, content=chunks(), headers=PROTOBUF)
    bomb = await client.post(
        url, content=gzip.compress(bytes(50_000_000)), headers={**PROTOBUF, "Content-Encoding": "gzip"}
    )
    packed = await client.post(
        url, content=zstd().compress(bytes(50_000_000)), headers={**PROTOBUF, "Content-Encoding": "zstd"}
    )
    assert [one.status_code for one in (declared, counted, bomb, packed)] == [413, 413, 413, 413]
    assert "decompressed body is over the limit of 100000" in Status.FromString(bomb.content).message
    found = await health(client, receiver)
    assert found["received"]["refused"] == {"too_large": 4}
    assert found["open_bytes"] == 0


async def test_a_token_is_demanded_when_configured(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """Bearer, or Basic for exporters that know no other; health stays open to probes."""
    receiver = await start(receive={"token": "s3cret"})
    url, body = f"{receiver.url}/v1/traces", request_of([span_of(1, 1)]).SerializeToString()
    answers = {
        name: (await client.post(url, content=body, headers={**PROTOBUF, **headers})).status_code
        for name, headers in {
            "none": {},
            "wrong": {"Authorization": "Bearer s3creT"},
            "right": {"Authorization": "Bearer s3cret"},
            "basic": {"Authorization": "Basic cGs6czNjcmV0"},
        }.items()
    }
    assert answers == {"none": 401, "wrong": 401, "right": 200, "basic": 200}
    assert len(receiver.spans()) == 2
    assert (await health(client, receiver))["received"]["refused"] == {"unauthenticated": 2}


async def test_a_full_inbox_says_when_to_come_back_and_takes_again(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """429 with Retry-After and RetryInfo; once the reader has made room, 200."""
    receiver = await start(inbox={"max_bytes": 1_500_000, "segment_bytes": 50_000})
    url = f"{receiver.url}/v1/traces"
    body = request_of([span_of(1, 1, text="x" * 40_000)]).SerializeToString()
    taken = 0
    while (answer := await client.post(url, content=body, headers=PROTOBUF)).status_code == 200:
        taken += 1
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    status = Status.FromString(answer.content)
    assert status.details[0].type_url.endswith("google.rpc.RetryInfo")
    assert "inbox.max_bytes" in status.message
    assert len(receiver.spans()) == taken
    reader = InboxReader(receiver.folder)
    reader.discard(Position(reader.read(limit=1_000)[-1].position.segment, 10_000))
    reader.close()
    assert (await client.post(url, content=body, headers=PROTOBUF)).status_code == 200


async def test_a_request_larger_than_the_whole_inbox_is_not_asked_for_again(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """413 without Retry-After or RetryInfo, with the setting's name: 429 would bring it back for ever."""
    receiver = await start(inbox={"max_bytes": 1_000_000})
    body = request_of([span_of(1, 1, text="x" * 900_000)]).SerializeToString()
    answer = await client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF)
    status = Status.FromString(answer.content)
    assert (answer.status_code, "retry-after" in answer.headers, list(status.details)) == (413, False, [])
    assert "raise inbox.max_bytes" in status.message


async def test_a_sender_that_stops_in_the_middle_is_not_waited_for_in_vain(
    start: Start, client: httpx.AsyncClient
) -> None:
    """A sender that hangs up halfway holds nothing."""
    receiver = await start()
    host, port = receiver.bound.http.split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
    )
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    async with asyncio.timeout(10):
        while True:
            found = await health(client, receiver)
            if found["received"]["refused"] == {"disconnected": 1}:
                break
            await asyncio.sleep(0.01)
    assert found["open_bytes"] == 0


async def test_what_is_no_http_is_survived(start: Start, client: httpx.AsyncClient) -> None:
    """A TLS hello on the plain port, for example."""
    receiver = await start()
    host, port = receiver.bound.http.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200))
    assert b"400" in await reader.read(100)
    writer.close()
    await writer.wait_closed()
    assert (await health(client, receiver))["status"] == "ok"


async def test_health_shows_the_counts(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """By protocol and signal; bytes of the inbox beside them."""
    receiver = await start()
    body = request_of([span_of(1, 1)]).SerializeToString()
    await client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF)
    found = await health(client, receiver)
    assert (found["status"], found["problem"]) == ("ok", None)
    assert found["inbox"]["bytes_on_disk"] > 0
    assert found["received"] == {
        "requests": {"http spans": 1},
        "bytes": len(body),
        "spans": 1,
        "logs": 0,
        "told": {},
        "ignored": {},
        "rejected": {},
        "refused": {},
        "forwarded": {},
    }
