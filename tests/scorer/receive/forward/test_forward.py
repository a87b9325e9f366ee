"""What is received goes on to real backends, and whatever they do never delays an ack."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import grpc.aio
import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from starlette.applications import Starlette
from tests.scorer.receive.forward.backends import Backend, counts_of, until

from ragvigil.scorer.config import load
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.receive.counters import counters
from ragvigil.scorer.receive.forward import queue
from ragvigil.scorer.receive.forward.item import Answer, Item, Received
from ragvigil.scorer.receive.forward.queue import Forwarder
from ragvigil.scorer.receive.http_server import HttpServer
from ragvigil.scorer.receive.settings import ForwardTo, receiving
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.zstd import zstd

Start = Callable[..., Awaitable[Any]]
Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]
Backends = Callable[..., Awaitable[Backend]]

PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}
GRPC_TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


@pytest.fixture(params=["http", "grpc"])
def backends(request: pytest.FixtureRequest) -> Backends:
    """Both kinds of backend."""
    found: Backends = request.getfixturevalue(f"{request.param}_backend")
    return found


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "_FIRST_WAIT_SECONDS", 0.02)
    monkeypatch.setattr(queue, "_LONGEST_WAIT_SECONDS", 0.05)


def to(backend: Backend, **settings: object) -> dict[str, object]:
    """The section [forward.b] for a backend."""
    return {"b": {"url": backend.url, "compression": "none", **settings}}


@pytest.mark.parametrize(
    ("path", "content_type", "body", "gzipped"),
    [
        ("/v1/traces", "application/x-protobuf", b"", False),
        ("/v1/logs", "application/json", b'{ "resourceLogs" : [] }', False),
        ("/v1/metrics", "application/x-protobuf", b"\n\x00", False),
        ("/v1/metrics", "application/x-protobuf", b"\n\x00", True),
        ("/v1/traces", "application/json", b'{"resourceSpans":[{"x":[1]}]}', True),
    ],
)
async def test_an_http_backend_gets_the_bytes_that_arrived(
    start: Start,
    client: httpx.AsyncClient,
    http_backend: Backends,
    path: str,
    content_type: str,
    body: bytes,
    gzipped: bool,
) -> None:
    """Body, encoding and compression are those of the sender; fields that nobody knows are kept."""
    backend = await http_backend()
    receiver = await start(forward=to(backend))
    sent = gzip.compress(body, mtime=7) if gzipped else body
    headers = {"Content-Type": content_type, **({"Content-Encoding": "gzip"} if gzipped else {})}
    assert (await client.post(receiver.url + path, content=sent, headers=headers)).status_code == 200
    await until(lambda: bool(backend.got))
    (got,) = backend.got
    assert (got.path, got.body, got.headers["content-type"]) == (path, sent, content_type)
    assert got.headers.get("content-encoding") == ("gzip" if gzipped else None)


@pytest.mark.parametrize("encoding", ["deflate", "zstd"])
async def test_what_few_can_read_is_taken_and_sent_on_as_what_every_backend_takes(
    start: Start,
    client: httpx.AsyncClient,
    http_backend: Backends,
    request_of: Request,
    span_of: SpanOf,
    encoding: str,
) -> None:
    """Python's exporter and a Collector can be told to compress so; servers need only know gzip."""
    backend = await http_backend()
    receiver = await start(forward=to(backend, compression="none"))
    body = request_of([span_of(1, 1)]).SerializeToString()
    packed = zlib.compress(body) if encoding == "deflate" else zstd().compress(body)
    headers = {**PROTOBUF, "Content-Encoding": encoding}
    answer = await client.post(f"{receiver.url}/v1/traces", content=packed, headers=headers)
    assert (answer.status_code, len(receiver.spans())) == (200, 1)
    await until(lambda: bool(backend.got))
    assert (backend.got[0].body, backend.got[0].headers.get("content-encoding")) == (body, None)


async def test_a_grpc_backend_gets_the_message_that_arrived(
    start: Start, client: httpx.AsyncClient, grpc_backend: Backends, request_of: Request, span_of: SpanOf
) -> None:
    """Over gRPC, over HTTP, and over HTTP compressed: the same bytes; JSON becomes the same message."""
    backend = await grpc_backend()
    receiver = await start(forward=to(backend, compression="gzip"))
    body = request_of([span_of(1, 1, text="x" * 5_000)]).SerializeToString()
    async with grpc.aio.insecure_channel(receiver.bound.grpc) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(GRPC_TRACES)
        await call(body)
    url = f"{receiver.url}/api/public/otel/v1/traces"
    await client.post(url, content=body, headers=PROTOBUF)
    packed = {**PROTOBUF, "Content-Encoding": "gzip"}
    await client.post(url, content=gzip.compress(body), headers=packed)
    await until(lambda: len(backend.got) == 3)
    assert {(got.path, got.body) for got in backend.got} == {(GRPC_TRACES, body)}
    metrics = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [METRIC, {"name": 5}]}]}]}
    await client.post(f"{receiver.url}/v1/metrics", content=json.dumps(metrics), headers=JSON)
    await until(lambda: len(backend.got) == 4)
    found = ExportMetricsServiceRequest.FromString(backend.got[3].body)
    (metric,) = found.resource_metrics[0].scope_metrics[0].metrics
    assert (metric.name, metric.sum.data_points[0].as_int) == ("answers", 12)
    await until(lambda: has(client, receiver, {"b.rejected": 1}))


METRIC = {"name": "answers", "sum": {"dataPoints": [{"asInt": "12", "timeUnixNano": "5"}]}}


async def has(client: httpx.AsyncClient, receiver: Any, expected: dict[str, int]) -> bool:
    """Whether these counts stand."""
    found = await counts_of(client, receiver)
    return found | expected == found


async def test_headers_come_from_settings_files_and_an_allow_list(
    start: Start, client: httpx.AsyncClient, backends: Backends, tmp_path: Path
) -> None:
    """The sender's own token stays here."""
    backend = await backends()
    (tmp_path / "key").write_text("s3cret\n")
    receiver = await start(
        receive={"token": "ours"},
        forward=to(
            backend,
            headers={"Authorization": "Basic theirs"},
            header_files={"x-api-key": tmp_path / "key"},
            pass_headers=["X-Langfuse-Ingestion-Version"],
        ),
    )
    sent = {"Authorization": "Bearer ours", "X-Langfuse-Ingestion-Version": "4", "X-Other": "no"}
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers={**PROTOBUF, **sent})
    await until(lambda: bool(backend.got))
    found = backend.got[0].headers
    assert (found["authorization"], found["x-api-key"]) == ("Basic theirs", "s3cret")
    assert found["x-langfuse-ingestion-version"] == "4"
    assert "x-other" not in found
    assert "s3cret" not in (await client.get(f"{receiver.url}/healthz")).text


async def test_a_refused_request_is_not_forwarded(
    start: Start, client: httpx.AsyncClient, http_backend: Backends
) -> None:
    """Its sender keeps it and comes back; forwarding it now would make two of it."""
    backend = await http_backend()
    receiver = await start(forward=to(backend))
    assert (
        await client.post(f"{receiver.url}/v1/traces", content=b"no", headers=PROTOBUF)
    ).status_code == 400
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.offered": 1, "b.delivered": 1}))
    assert [got.body for got in backend.got] == [b""]


async def test_a_backend_gets_only_the_signals_it_wants(
    start: Start, client: httpx.AsyncClient, http_backend: Backends
) -> None:
    """Two backends, one of them for traces alone."""
    first, second = await http_backend(), await http_backend()
    receiver = await start(
        forward={"all": {"url": first.url}, "traces": {"url": second.url, "signals": ["traces"]}}
    )
    for signal in ("metrics", "logs", "traces"):
        await client.post(f"{receiver.url}/v1/{signal}", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"all.delivered": 3, "traces.delivered": 1}))
    assert [got.path for got in second.got] == ["/v1/traces"]


async def test_a_silent_backend_never_delays_an_ack(
    start: Start, client: httpx.AsyncClient, backends: Backends, request_of: Request, span_of: SpanOf
) -> None:
    """It never answers the first request, and a hundred more are acknowledged all the same."""
    backend = await backends(mode="silent")
    receiver = await start(forward=to(backend, timeout_seconds=3600))
    url = f"{receiver.url}/v1/traces"
    for number in range(1, 101):
        body = request_of([span_of(number, number)]).SerializeToString()
        assert (await client.post(url, content=body, headers=PROTOBUF)).status_code == 200
    assert len(receiver.spans()) == 100
    assert await has(client, receiver, {"b.offered": 100})
    assert "b.delivered" not in await counts_of(client, receiver)
    assert (await client.get(f"{receiver.url}/healthz")).json()["forward"]["b"]["queued"] == 100


async def test_a_silent_backend_is_given_up_after_a_while_and_asked_again(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """Then it answers, and has everything."""
    backend = await backends(mode="silent")
    receiver = await start(forward=to(backend, timeout_seconds=0.1))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: len(backend.got) > 1)
    backend.mode = "healthy"
    await until(lambda: has(client, receiver, {"b.delivered": 1}))


async def test_a_refusing_backend_gets_everything_once_it_takes_again(
    start: Start, client: httpx.AsyncClient, backends: Backends, caplog: pytest.LogCaptureFixture
) -> None:
    """429 with Retry-After, RESOURCE_EXHAUSTED with RetryInfo; told once, not per request."""
    backend = await backends(mode="refusing")
    receiver = await start(forward=to(backend))
    bodies = [b"\n\x00" * number for number in range(20)]
    for body in bodies:
        await client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF)
    await until(lambda: len(backend.got) > 20)
    problem = (await client.get(f"{receiver.url}/healthz")).json()["forward"]["b"]["problem"]
    assert problem in ("http_429", "grpc_resource_exhausted")
    backend.mode, before = "healthy", len(backend.got)
    await until(lambda: has(client, receiver, {"b.delivered": 20}))
    assert sorted(got.body for got in backend.got[before:]) == sorted(bodies)
    found = await counts_of(client, receiver)
    assert found["b.retries"] >= 20
    assert not [key for key in found if "dropped" in key]
    assert 1 <= caplog.text.count("acks go on") == caplog.text.count("takes requests again") < 10


class Turns:
    """Answers as it is told, one after the other, and takes whatever comes after these."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def form(self, received: Received) -> Item:
        """As it came."""
        return Item(received.signal, received.body, received.encoding, received.gzipped, received.headers)

    async def send(self, item: Item) -> Answer:
        """The next answer."""
        await asyncio.sleep(0.001)
        return self.answers.pop(0) if self.answers else Answer(taken=True)

    async def close(self) -> None:
        """Nothing is open."""


TAKEN = Answer(taken=True)
LIMITED = Answer(taken=False, reason="http_429", retry=True, wait_seconds=0.0, advice="raise its limit")
TURNS = ForwardTo("", ("traces",), {}, {}, (), "none", None, 1 << 20, 60, 60)


async def test_a_backend_that_limits_its_senders_is_told_of_once_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It refuses and takes in turns, many times a minute; what can be done about it is told too."""
    counts = Counter[str]()
    forwarder = Forwarder("b", TURNS, Turns(*[LIMITED, TAKEN] * 20), counts)
    for _ in range(20):
        forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()
    await until(lambda: counts["b.delivered"] == 20)
    assert counts["b.retries"] == 20
    assert [record.getMessage() for record in caplog.records] == [
        "forward.b: http_429 (raise its limit); acks go on",
        "forward.b takes requests again",
    ]


async def test_a_backend_that_goes_on_failing_is_told_of_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Though it took a request soon after the first line about it: the log must not end with that."""
    monkeypatch.setattr(queue, "_TELL_SECONDS", 0.3)
    counts = Counter[str]()
    forwarder = Forwarder("b", TURNS, Turns(LIMITED, TAKEN, *[LIMITED] * 10_000), counts)
    forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()
    await until(lambda: counts["b.delivered"] == 1)
    forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    await until(lambda: caplog.text.count("acks go on") == 2)
    assert caplog.text.count("takes requests again") == 1
    await forwarder.stop(0)


async def test_what_can_be_done_about_a_backend_is_told(
    start: Start, client: httpx.AsyncClient, http_backend: Backends, caplog: pytest.LogCaptureFixture
) -> None:
    """One that is not there, that speaks no TLS or no gRPC, and where nothing is served."""
    backend = await http_backend()
    nothing = HttpServer(Starlette(), "127.0.0.1:0", grace_seconds=1)
    nothing.start()
    place = f"http://{nothing.address}/otlp"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        dead = f"127.0.0.1:{taken.getsockname()[1]}"
        forward = {
            "gone": {"url": f"http://{dead}"},
            "gone_grpc": {"url": f"grpc://{dead}"},
            "plain": {"url": backend.url.replace("http:", "https:")},
            "elsewhere": {"url": place},
            "http": {"url": backend.url.replace("http:", "grpc:")},
        }
        receiver = await start(forward=forward)
        await client.post(f"{receiver.url}/v1/traces", content=b"\n\x00", headers=PROTOBUF)
        await until(lambda: caplog.text.count("acks go on") >= len(forward))
    await nothing.stop()
    told = {record.getMessage().partition(": ")[0]: record.getMessage() for record in caplog.records}
    assert "unreachable (nothing answers: check url, and whether it runs)" in told["forward.gone"]
    assert "check url, and whether it runs; 'failed to connect" in told["forward.gone_grpc"]
    assert "(it speaks no TLS: check url" in told["forward.plain"]
    assert f"nothing takes OTLP at {place}/v1/traces: check url" in told["forward.elsewhere"]
    assert "check url" in told["forward.http"]


class OutOfOrder:
    """Takes the second request first, and then refuses the first one."""

    def __init__(self) -> None:
        self.attempts = 0
        self.taken = asyncio.Event()

    def form(self, received: Received) -> Item:
        """As it came."""
        return Item(received.signal, received.body, received.encoding, received.gzipped, received.headers)

    async def send(self, item: Item) -> Answer:
        """The first attempt's refusal, or a success."""
        self.attempts += 1
        if self.attempts == 1:
            await self.taken.wait()
            return Answer(taken=False, reason="http_429", retry=True)
        self.taken.set()
        return Answer(taken=True)

    async def close(self) -> None:
        """Nothing is open."""


async def test_a_refusal_that_a_success_overtook_is_no_new_problem(caplog: pytest.LogCaptureFixture) -> None:
    """Two requests are under way: the later one is taken before the earlier one's refusal arrives."""
    counts, problems = Counter[str](), list[object]()
    settings = ForwardTo("", ("traces",), {}, {}, (), "none", None, 1 << 20, 60, 60)
    forwarder = Forwarder("b", settings, OutOfOrder(), counts)
    for _ in range(2):
        forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()

    def retried() -> bool:
        problems.append(forwarder.health()["problem"])
        return counts["b.retries"] == 1

    await until(retried)
    assert set(problems) == {None}
    await until(lambda: counts["b.delivered"] == 2)
    assert "acks go on" not in caplog.text
    await forwarder.stop(0)


async def test_a_backend_that_asks_to_be_left_alone_is(
    start: Start, client: httpx.AsyncClient, http_backend: Backends
) -> None:
    """One Retry-After keeps every sender away, also from requests that come later."""
    backend = await http_backend(mode="refusing", retry_after="3600")
    receiver = await start(forward=to(backend))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.retries": 1}))
    for _ in range(5):
        await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await asyncio.sleep(0.1)
    assert len(backend.got) == 1


@pytest.mark.parametrize("kind", ["http", "grpc"])
async def test_a_dead_backend_that_comes_back_gets_everything(
    start: Start, client: httpx.AsyncClient, http_backend: Backends, grpc_backend: Backends, kind: str
) -> None:
    """Nobody listens at first."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    receiver = await start(forward={"b": {"url": f"{kind}://{address}"}})
    for _ in range(3):
        answer = await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
        assert answer.status_code == 200
    await until(lambda: retried(client, receiver))
    backend = await (http_backend if kind == "http" else grpc_backend)(address)
    await until(lambda: has(client, receiver, {"b.delivered": 3}))
    assert len(backend.got) == 3


async def retried(client: httpx.AsyncClient, receiver: Any) -> bool:
    """Whether it was tried in vain."""
    return (await counts_of(client, receiver)).get("b.retries", 0) > 2


async def test_what_has_no_room_is_dropped_and_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """Bounded in bytes: the ack comes, the copy does not, and the count says so."""
    backend = await backends(mode="silent")
    receiver = await start(forward=to(backend, max_queue_bytes=30_000, timeout_seconds=3600))
    body = json.dumps({"note": "x" * 10_000, "resourceSpans": []})
    for _ in range(5):
        answer = await client.post(f"{receiver.url}/v1/traces", content=body, headers=JSON)
        assert answer.status_code == 200
    assert await has(client, receiver, {"b.offered": 5, "b.dropped.full": 3})
    found = (await client.get(f"{receiver.url}/healthz")).json()["forward"]["b"]
    assert found["queued"] == 2
    assert found["queued_bytes"] <= 30_000
    assert "max_queue_bytes" in found["problem"]


async def test_what_a_backend_will_never_take_is_dropped_and_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """400 and INVALID_ARGUMENT are not tried again."""
    backend = await backends(mode="hopeless")
    receiver = await start(forward=to(backend))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    reason = "http_400" if backend.url.startswith("http") else "grpc_invalid_argument"
    await until(lambda: has(client, receiver, {f"b.dropped.{reason}": 1}))
    assert len(backend.got) == 1


async def test_what_a_backend_refuses_for_too_long_is_dropped_and_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """So that one request cannot stay for ever."""
    backend = await backends(mode="refusing")
    receiver = await start(forward=to(backend, retry_seconds=0.1))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.dropped.expired": 1}))


class Slow(OutOfOrder):
    """Refuses a first request for a hundred seconds of its own clock, then each request once."""

    now = 0.0

    async def send(self, item: Item) -> Answer:
        """Taken from the third attempt on."""
        self.attempts += 1
        self.now = 100.0
        return Answer(taken=self.attempts > 2, reason="http_503", retry=True, wait_seconds=0)


async def test_the_age_of_a_request_counts_from_its_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not from its first attempt, which may come after hours in the queue; that one it has all the same."""
    counts, backend = Counter[str](), Slow()
    monkeypatch.setattr(queue, "_SENDERS", 1)
    monkeypatch.setattr(queue, "time", SimpleNamespace(monotonic=lambda: backend.now))
    settings = ForwardTo("", ("traces",), {}, {}, (), "none", None, 1 << 20, 60, 60)
    forwarder = Forwarder("b", settings, backend, counts)
    for _ in range(2):
        forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()
    await until(lambda: forwarder.health()["queued"] == 0)
    assert counts == {"b.offered": 2, "b.dropped.expired": 2}
    assert backend.attempts == 2
    await forwarder.stop(0)


async def test_the_same_partial_success_is_logged_once(
    start: Start, client: httpx.AsyncClient, backends: Backends, caplog: pytest.LogCaptureFixture
) -> None:
    """What a backend never takes may be in every request; another reason is news."""
    backend = await backends()
    receiver = await start(forward=to(backend))
    for number, reason in enumerate(("too old", "too old", "too new", "too old"), 1):
        answer = ExportTraceServiceResponse()
        answer.partial_success.rejected_spans = 1
        answer.partial_success.error_message = reason
        backend.answer = answer.SerializeToString()
        await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
        await until(partial(has, client, receiver, {"b.rejected": number}))
    assert (caplog.text.count("too old"), caplog.text.count("too new")) == (2, 1)


async def test_a_partial_success_is_read_and_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends, caplog: pytest.LogCaptureFixture
) -> None:
    """A backend that takes a request without two of its spans; one that answers with words took it."""
    backend = await backends()
    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = 2
    answer.partial_success.error_message = "too old"
    backend.answer = answer.SerializeToString()
    receiver = await start(forward=to(backend))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.delivered": 1, "b.rejected": 2}))
    assert "too old" in caplog.text
    backend.answer = b"thank you, come again"
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.delivered": 2, "b.rejected": 2}))


async def test_an_answer_without_end_is_a_failure_that_costs_bounded_time_and_memory(
    start: Start, client: httpx.AsyncClient
) -> None:
    """A backend that streams for ever holds one sender for one timeout."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            while True:
                writer.write(b"1\r\nx\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    receiver = await start(forward={"b": {"url": f"http://127.0.0.1:{port}", "timeout_seconds": 0.1}})
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.retries": 1}))
    server.close()


async def test_two_receivers_that_forward_to_each_other_end_it_at_once(
    start: Start, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    """The first knows its own request when the second hands it back, and says so in words."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    first = await start(folder=tmp_path / "first", forward={"b": {"url": f"http://{address}"}})
    second = await start(
        folder=tmp_path / "second",
        receive={"http": address},
        forward={"b": {"url": f"grpc://{first.bound.grpc}"}},
    )
    await client.post(f"{first.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, first, {"b.delivered": 1}))
    await until(lambda: has(client, second, {"b.dropped.grpc_failed_precondition": 1}))
    found = (await client.get(f"{first.url}/healthz")).json()["received"]
    assert (found["refused"], found["requests"]) == ({"loop": 1}, {"http spans": 1})


@pytest.mark.parametrize("kind", ["grpc", "http"])
async def test_a_receiver_is_not_its_own_backend(start: Start, kind: str) -> None:
    """Named at start, whatever loopback is called."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ConfigError, match=r"forward\.b\.url: 127\.0\.0\.1:\d+ is this scorer itself"):
        await start(receive={kind: f"127.0.0.1:{port}"}, forward={"b": {"url": f"{kind}://localhost:{port}"}})


async def test_a_stop_sends_what_waits_first(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """Within its grace; the counts are balanced at the end."""
    backend = await backends()
    receiver = await start(forward=to(backend))
    for _ in range(30):
        await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    receiver.stop.set()
    await receiver.ended
    assert len(backend.got) == 30
    assert counters(receiver.folder)["forwarded.b.delivered"] == 30


async def test_what_a_stop_or_a_kill_leaves_unsent_is_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """A stop counts it itself; after a kill the next start does, from the counts that were saved."""
    backend = await backends(mode="refusing")
    receiver = await start(forward=to(backend))
    for _ in range(3):
        await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: retried(client, receiver))
    receiver.stop.set()
    await receiver.ended
    found = counters(receiver.folder)
    assert (found["forwarded.b.offered"], found["forwarded.b.dropped.stopped"]) == (3, 3)
    killed = {**found, "forwarded.b.offered": 10}
    (receiver.folder / "counters.json").write_text(json.dumps(killed))
    after = await start(forward=to(backend))
    assert await has(client, after, {"b.offered": 10, "b.dropped.stopped": 3, "b.dropped.killed": 7})


async def test_a_real_exporter_reaches_a_backend_through_a_receiver(start: Start, tmp_path: Path) -> None:
    """Exporter, receiver, receiver: both hold the span."""
    behind = await start(folder=tmp_path / "behind")
    front = await start(folder=tmp_path / "front", forward={"b": {"url": f"grpc://{behind.bound.grpc}"}})
    exporter = OTLPSpanExporter(endpoint=f"{front.url}/v1/traces")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    await asyncio.to_thread(lambda: provider.get_tracer("t").start_span("ask").end())
    provider.shutdown()
    await until(lambda: bool(behind.spans()))
    assert behind.spans() == front.spans()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"forward\.b\.url: is missing"),
        ({"url": "localhost:4317"}, r"forward\.b\.url: must look like http://host:4318"),
        ({"url": "http://u:p@host"}, r"forward\.b\.url: must look like"),
        ({"url": "grpc://host"}, r"forward\.b\.url: a gRPC address has a port"),
        (
            {"url": "http://host/v1/traces/"},
            r"forward\.b\.url: leave out /v1/traces at its end: it is appended",
        ),
        ({"url": "http://host:99999"}, r"forward\.b\.url: must look like"),
        ({"url": "http://x", "headers": {"host": "y"}}, r"forward\.b: the header host is set by ragvigil"),
        ({"url": "http://x", "headers": {"a": "1\n2"}}, r"forward\.b\.headers\.a: must be one line"),
        ({"url": "http://x", "pass_headers": ["a b"]}, r"forward\.b\.pass_headers\.0: .*pattern"),
        (
            {"url": "http://x", "timeout": 3},
            r"forward\.b\.timeout: unknown key \(did you mean timeout_seconds",
        ),
        (
            {"url": "http://x", "header_files": {"a": "/none"}},
            r"forward\.b\.header_files\.a: /none cannot be read",
        ),
        ({"url": "https://x", "ca_file": "/none"}, r"forward\.b\.ca_file: /none cannot be used"),
        ({"url": "grpcs://x:1", "ca_file": "/none"}, r"forward\.b\.ca_file: cannot be read"),
    ],
)
async def test_a_setting_that_cannot_be_used_is_named(
    start: Start, settings: dict[str, object], message: str
) -> None:
    """Before anything is bound."""
    with pytest.raises(ConfigError, match=message):
        await start(forward={"b": settings})


async def test_the_token_of_this_scorer_is_not_passed_on(start: Start) -> None:
    """It would open this scorer to whoever runs the backend."""
    with pytest.raises(ConfigError, match=r"forward\.b\.pass_headers: authorization would pass on"):
        await start(
            receive={"token": "x"}, forward={"b": {"url": "http://x", "pass_headers": ["Authorization"]}}
        )


async def test_a_secret_that_cannot_be_used_is_not_shown(start: Start) -> None:
    """Neither in the error nor in the log."""
    with pytest.raises(ConfigError) as caught:
        await start(forward={"b": {"url": "http://x", "headers": {"a": "s3cret\n"}, "timeout_seconds": "y"}})
    assert "s3cret" not in str(caught.value)


def test_the_status_says_what_became_of_what_was_forwarded(tmp_path: Path) -> None:
    """Delivered, waiting, dropped and why; nothing when nothing is forwarded."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'r.db'}"}})
    SqliteStore(settings).close()
    settings.inbox_path.mkdir()
    told = {"offered": 12, "delivered": 7, "dropped.full": 2, "dropped.killed": 1, "rejected": 4}
    (settings.inbox_path / "counters.json").write_text(
        json.dumps({f"forwarded.tempo.{key}": count for key, count in told.items()})
    )
    command = [sys.executable, "-m", "ragvigil.scorer", "status", "--store", settings.store.url]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    line = "forward tempo: 7 requests delivered, 2 waiting, 3 dropped (full 2, killed 1)"
    assert line in shown
    assert "4  spans, records or points that it took the request without" in shown


async def test_what_is_under_way_when_it_is_forgotten_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can say whether it arrived; what is sent again is what was left of it, and each is counted once."""
    monkeypatch.setattr(queue, "_FIRST_WAIT_SECONDS", 0.0)
    asked, go_on = list[bytes](), asyncio.Event()

    class Slow:
        def form(self, received: Received) -> Item:
            return Item(received.signal, received.body, received.encoding, gzipped=False, headers={})

        async def send(self, item: Item) -> Answer:
            asked.append(item.body)
            await go_on.wait()
            return Answer(taken=item.body in (b"the rest", b"hers, taken"), reason="late", retry=True)

        async def close(self) -> None:
            """Nothing is open."""

    counts = Counter[str]()
    settings = load(overrides={"forward": {"b": {"url": "http://127.0.0.1:1"}}})
    forwarder = Forwarder("b", receiving(settings).forward["b"], Slow(), counts)
    for body in (b"all of it", b"all of hers", b"hers, taken"):
        forwarder.offer(Received("traces", body, body, "protobuf", {}))
    forwarder.start()
    await until(lambda: len(asked) == 3)
    first, second, third = forwarder.waiting
    assert first.item is not None
    assert not forwarder.replace(first, Item("traces", b"the rest", "protobuf", gzipped=False, headers={}))
    assert not forwarder.replace(second, None)
    assert not forwarder.replace(third, None)
    go_on.set()
    await until(lambda: not forwarder.waiting)
    assert asked[3:] == [b"the rest"]
    assert (counts["b.delivered"], counts["b.dropped.forgotten"]) == (2, 1)
    assert forwarder.health()["queued_bytes"] == 0
    await forwarder.stop(1)
