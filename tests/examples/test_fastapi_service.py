"""The example service, run for real under both tracers, against a real OTLP receiver."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

EXAMPLE = Path(__file__).parents[2] / "examples" / "fastapi_service"
QUESTION = "When does water boil at sea level?"
PASSAGE = "At sea level, water boils at 100 degrees Celsius."
ANSWER = f"{PASSAGE} [water-1]"


class Receiver(ThreadingHTTPServer):
    """Keeps every export request that it is sent."""

    daemon_threads = True

    def __init__(self) -> None:
        self.exports: list[ExportTraceServiceRequest] = []
        super().__init__(("127.0.0.1", 0), Export)

    def spans(self) -> list[Span]:
        """All spans received."""
        resources = [resource for export in self.exports for resource in export.resource_spans]
        return [span for resource in resources for scope in resource.scope_spans for span in scope.spans]


class Export(BaseHTTPRequestHandler):
    """Takes one export request."""

    def do_POST(self) -> None:
        """Keep the body, and answer as a collector does."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, Receiver)
        self.server.exports.append(ExportTraceServiceRequest.FromString(body))
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Stay quiet."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A running receiver."""
    running = Receiver()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield running
    running.shutdown()
    thread.join()
    running.server_close()


@contextmanager
def service(receiver: Receiver, tracing: str) -> Generator[str, None, None]:
    """The example under uvicorn in a process of its own, told by environment variables alone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "RAGVIGIL_"))},
        "TRACING": tracing,
        "OTEL_SERVICE_NAME": "water",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{receiver.server_address[1]}",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    command = [sys.executable, "-m", "uvicorn", "--app-dir", str(EXAMPLE), "app:app", "--port", str(port)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        output, _ = process.communicate(timeout=20)
        assert b"Traceback" not in output, output.decode()


def ask(url: str) -> dict[str, object]:
    """The service's answer, as soon as it listens."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return dict(
                httpx.post(f"{url}/ask", json={"question": QUESTION}, timeout=10).raise_for_status().json()
            )
        except httpx.ConnectError:
            assert time.monotonic() < deadline, "the service never listened"
            time.sleep(0.05)


def arrived(receiver: Receiver, count: int) -> list[Span]:
    """The spans, once so many are there."""
    deadline = time.monotonic() + 20
    while len(receiver.spans()) < count and time.monotonic() < deadline:
        time.sleep(0.02)
    return receiver.spans()


def attributes_by_kind(spans: list[Span]) -> dict[str, dict[str, object]]:
    """Each span's attributes under its OpenInference kind, which both tracers write."""
    found: dict[str, dict[str, object]] = {}
    for span in spans:
        told: dict[str, object] = {}
        for entry in span.attributes:
            kind = entry.value.WhichOneof("value")
            told[entry.key] = getattr(entry.value, kind) if kind else None
        found[str(told["openinference.span.kind"])] = told
    return found


def test_traced_by_ragvigil_the_trace_carries_question_passages_and_answer(receiver: Receiver) -> None:
    """The decorators, and nothing but the environment to say where to."""
    with service(receiver, "ragvigil") as url:
        assert ask(url) == {"answer": ANSWER, "sources": ["water-1", "water-2", "ice-1"]}
        spans = arrived(receiver, 3)
    assert len({span.trace_id for span in spans}) == 1
    found = attributes_by_kind(spans)
    assert (found["CHAIN"]["input.value"], found["CHAIN"]["output.value"]) == (QUESTION, ANSWER)
    assert found["RETRIEVER"]["gen_ai.retrieval.query.text"] == QUESTION
    documents = json.loads(str(found["RETRIEVER"]["gen_ai.retrieval.documents"]))
    assert [document["id"] for document in documents] == ["water-1", "water-2", "ice-1"]
    assert (documents[0]["content"], documents[0]["score"]) == (PASSAGE, 0.4)
    (message,) = json.loads(str(found["LLM"]["gen_ai.output.messages"]))
    assert message["parts"] == [{"type": "text", "content": ANSWER}]


def test_traced_by_openinference_the_trace_carries_the_same(receiver: Receiver) -> None:
    """One variable differs."""
    with service(receiver, "openinference") as url:
        assert ask(url)["answer"] == ANSWER
        spans = arrived(receiver, 3)
    assert len({span.trace_id for span in spans}) == 1
    found = attributes_by_kind(spans)
    assert QUESTION in str(found["CHAIN"]["input.value"])
    assert ANSWER in str(found["CHAIN"]["output.value"])
    retrieved = found["RETRIEVER"]
    assert [retrieved[f"retrieval.documents.{index}.document.id"] for index in range(3)] == [
        "water-1",
        "water-2",
        "ice-1",
    ]
    assert retrieved["retrieval.documents.0.document.content"] == PASSAGE
    assert found["LLM"]["llm.input_messages.0.message.content"] == QUESTION
    assert found["LLM"]["llm.output_messages.0.message.content"] == ANSWER


def test_the_readme_names_the_packages_and_runs_the_commands_tested_here() -> None:
    """A reader can paste what stands there."""
    text = (EXAMPLE / "README.md").read_text()
    commands = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    assert len(commands) == 3
    assert sum("uvicorn --app-dir examples/fastapi_service app:app" in command for command in commands) == 2
    body = re.search(r"-d '(.*?)'", text)
    assert body is not None
    assert json.loads(body.group(1)) == {"question": QUESTION}
    assert "requirements.txt" in text
    assert (EXAMPLE / "requirements.txt").is_file()
