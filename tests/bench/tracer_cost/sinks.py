"""Where spans go: an exporter that drops them, and an OTLP/HTTP server in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult


class Sink(SpanExporter):
    """Counts what arrives and drops it."""

    def __init__(self) -> None:
        self.spans = 0
        self.bytes = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Count spans, and the bytes of their attributes for the first hundred."""
        for span in spans:
            if self.spans < 100:
                attributes = dict(span.attributes or {})
                self.bytes += sum(len(name) + len(str(value).encode()) for name, value in attributes.items())
            self.spans += 1
        return SpanExportResult.SUCCESS

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing waits here."""
        return True

    def per_request(self) -> float:
        """Attribute bytes of one request of three spans."""
        return 3 * self.bytes / min(self.spans, 100)


SINK = """
import asyncio
ANSWER = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/x-protobuf\\r\\nContent-Length: 0\\r\\n\\r\\n"
async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).lower()
            length = int(head.split(b"content-length:")[1].split(b"\\r\\n")[0])
            await reader.readexactly(length)
            writer.write(ANSWER)
            await writer.drain()
    except asyncio.IncompleteReadError:
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=2**26)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@contextmanager
def otlp_server() -> Generator[str, None, None]:
    """The address of a server that takes every request and says yes."""
    with subprocess.Popen([sys.executable, "-c", SINK], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        server.terminate()
