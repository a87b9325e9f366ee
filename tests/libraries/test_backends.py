"""Other backends' own code for what they keep of our spans; tests/real/real_shown.py asks whole servers."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.libraries.conftest import ENVIRONMENT

CODE = """
import sys
from langfuse._client.span_processor import LangfuseSpanProcessor
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from ragvigil.tracer import configure, trace_generator, trace_rag, trace_retriever

provider = TracerProvider()
processor = LangfuseSpanProcessor(public_key="pk-1", secret_key="sk-1", base_url=sys.argv[1])
provider.add_span_processor(processor)
trace.set_tracer_provider(provider)
if sys.argv[2] == "configured":
    configure(endpoint="http://127.0.0.1:9", content_to="all", exit_seconds=0)

@trace_retriever
def search(query):
    return [("p1", "Water boils at 100 degrees.")]

@trace_generator(model="tiny-chat-1")
def write(question, passages):
    return "At 100 degrees [p1]."

@trace_rag
def ask(question):
    return write(question, search(question))

with provider.get_tracer("their-http-server").start_as_current_span("GET /ask"):
    ask("When does water boil?")
processor.force_flush()
"""


@pytest.mark.skipif(ENVIRONMENT != "newest", reason="Langfuse's SDK is installed in that environment")
@pytest.mark.parametrize("how", ["configured", "borrowed"])
def test_langfuses_processor_keeps_our_spans(how: str) -> None:
    """It drops what is not of a model, as the span of the HTTP server around; ours go on, root included."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    received = ExportTraceServiceRequest()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.MergeFromString(
                gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
            )
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it has there
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        subprocess.run([sys.executable, "-W", "ignore", "-c", CODE, url, how], check=True)
        server.shutdown()
    spans = [span for one in received.resource_spans for scope in one.scope_spans for span in scope.spans]
    assert sorted(span.name for span in spans) == ["chat tiny-chat-1", "invoke_workflow ask", "retrieval"]
    sent = received.SerializeToString()
    assert (b"Water boils at 100 degrees." in sent) is (how == "configured")
