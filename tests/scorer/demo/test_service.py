"""The example service as its own process, asked over HTTP, traced to a real OTLP endpoint."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.conftest import eventually

from ragvigil.scorer.demo.traffic import Traffic


@dataclass
class Sink:
    """What an OTLP endpoint received."""

    url: str
    requests: list[ExportTraceServiceRequest] = field(default_factory=list[ExportTraceServiceRequest])

    def spans(self, trace_id: str) -> dict[str, dict[str, str]]:
        """Attributes of the spans of one trace, by operation."""
        found: dict[str, dict[str, str]] = {}
        for request in list(self.requests):
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        if span.trace_id.hex() == trace_id:
                            pairs = {one.key: one.value.string_value for one in span.attributes}
                            found[pairs["gen_ai.operation.name"]] = pairs
        return found


@pytest.fixture(scope="module")
def sink() -> Iterator[Sink]:
    """A loopback OTLP endpoint that keeps everything."""
    collected: list[ExportTraceServiceRequest] = []

    class Otlp(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            collected.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class named it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Otlp)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield Sink(f"http://127.0.0.1:{server.server_address[1]}", collected)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def service(sink: Sink) -> Iterator[str]:
    """Address of a running service; it ends by itself when its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ragvigil.scorer.demo.service", "--endpoint", sink.url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    yield f"http://{ready['http']}"
    process.stdin.close()
    assert process.wait(30) == 0
    process.stdout.close()


@pytest.fixture
def client(service: str) -> Iterator[httpx.Client]:
    """A client of the service, which is left healthy."""
    with httpx.Client(base_url=service, trust_env=False) as client:
        yield client
        client.post("/fault", json={"name": None}).raise_for_status()


def test_an_answer_is_cited_and_its_trace_tells_the_whole_story(client: httpx.Client, sink: Sink) -> None:
    """Question, passages and answer arrive as any user's service would send them."""
    reply = client.post(
        "/ask", json={"question": "What does textwrap.dedent do?", "conversation_id": "c-1"}
    ).json()
    assert reply["answer"].startswith("textwrap.dedent: Remove any common leading whitespace")
    assert "textwrap.dedent#0" in reply["citations"]
    assert eventually(lambda: len(sink.spans(reply["trace_id"])) == 3)
    spans = sink.spans(reply["trace_id"])
    documents = json.loads(spans["retrieval"]["gen_ai.retrieval.documents"])
    assert {document["id"] for document in documents}.issuperset(reply["citations"])
    assert len(documents) == 5
    assert reply["answer"] in json.dumps(json.loads(spans["chat"]["gen_ai.output.messages"]))
    assert spans["chat"]["gen_ai.conversation.id"] == "c-1"


def test_a_fault_can_be_switched_on_and_off_while_it_runs(client: httpx.Client) -> None:
    """The demo's phases are nothing but this."""
    question = {"question": "What does json.dumps do?"}
    healthy = client.post("/ask", json=question).json()
    client.post("/fault", json={"name": "citations", "share": 1}).raise_for_status()
    assert client.get("/healthz").json() == {"status": "ok", "fault": "citations"}
    faulty = client.post("/ask", json=question).json()
    assert not set(faulty["citations"]).intersection(healthy["citations"])
    client.post("/fault", json={"name": None}).raise_for_status()
    assert client.post("/ask", json=question).json()["answer"] == healthy["answer"]


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("/ask", b"{", "question"),
        ("/ask", b'["question"]', "question"),
        ("/ask", b'{"question": 7}', "question"),
        ("/ask", b'{"question": " "}', "question"),
        ("/ask", json.dumps({"question": "x" * 2001}).encode(), "question"),
        ("/ask", b'{"question": "why?", "conversation_id": 1}', "conversation_id"),
        ("/fault", b'{"name": "fire"}', "name"),
        ("/fault", b'{"name": "citations", "share": 2}', "share"),
        ("/fault", b'{"name": "citations", "share": true}', "share"),
    ],
)
def test_bad_requests_are_refused_by_the_name_of_the_field(
    client: httpx.Client, path: str, body: bytes, named: str
) -> None:
    """400, and the service goes on."""
    response = client.post(path, content=body)
    assert (response.status_code, response.json()["error"].split(":")[0]) == (400, named)


async def test_traffic_keeps_its_rate_and_counts_what_it_sent(service: str) -> None:
    """Open loop: the number of questions follows from the time alone."""
    traffic = Traffic(service, ["What does len do?", "How do I shuffle a list in place?"], rate=100)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    began = loop.time()
    running = asyncio.create_task(traffic.run(stop))
    while traffic.sent < 100:
        assert loop.time() < began + 30
        await asyncio.sleep(0.01)
    stop.set()
    await running
    assert traffic.failed == 0
    assert traffic.sent <= (loop.time() - began) * 100 + 1
    assert traffic.latest[-1].citations


async def test_held_traffic_asks_nothing_and_makes_up_for_nothing(service: str) -> None:
    """The demo holds it while the scorer is behind; a burst afterwards would put it behind again."""
    traffic = Traffic(service, ["What does len do?"], rate=50)
    traffic.held = True
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    running = asyncio.create_task(traffic.run(stop))
    await asyncio.sleep(0.5)
    assert traffic.sent == 0
    traffic.held, began = False, loop.time()
    while traffic.sent < 5:
        assert loop.time() < began + 30
        await asyncio.sleep(0.01)
    stop.set()
    await running
    assert traffic.sent <= (loop.time() - began) * 50 + 1


async def test_a_dead_service_costs_the_traffic_answers_but_not_its_life() -> None:
    """Every question that was not answered is counted."""
    traffic = Traffic("http://127.0.0.1:9", ["Is anybody there?"], rate=200)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    began = loop.time()
    running = asyncio.create_task(traffic.run(stop))
    while traffic.failed < 5:
        assert loop.time() < began + 30
        await asyncio.sleep(0.01)
    stop.set()
    await running
    assert (traffic.sent, list(traffic.latest)) == (0, [])
