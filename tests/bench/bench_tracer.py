"""What tracing costs a service: our decorators beside spans written by hand with the same content.

One request is a root, a retriever of ten passages of 1 kB, and a generator. Blocks of both are interleaved in
one process, so that what else the machine does falls on both; ratios are the result, microseconds are for
scale. Run it with ``python tests/bench/bench_tracer.py``.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind

QUESTION = "When does water boil at sea level, and why does altitude matter?"
ANSWER = "Water boils at 100 degrees Celsius at sea level [p0]. " * 19
PASSAGES: list[dict[str, object]] = [
    {"id": f"p{index}", "score": 0.9 - index / 20, "text": f"{index}: " + "Water boils. " * 79}
    for index in range(10)
]
REQUESTS_A_BLOCK = 200
BLOCKS = 30


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

    def per_request(self) -> float:
        """Attribute bytes of one request of three spans."""
        return 3 * self.bytes / min(self.spans, 100)


def by_hand(
    sink: SpanExporter,
) -> tuple[Callable[[], str], Callable[[], Coroutine[Any, Any, str]]]:
    """The request with spans written by hand, as a careful engineer would."""
    return _provider(sink)[1]


def _provider(
    sink: SpanExporter,
) -> tuple[TracerProvider, tuple[Callable[[], str], Callable[[], Coroutine[Any, Any, str]]]]:
    """A provider that exports to the sink, and the request through it."""
    provider = TracerProvider(resource=Resource({"service.name": "bench"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(sink))
    tracer = provider.get_tracer("bench")

    def retrieval() -> list[dict[str, object]]:
        with tracer.start_as_current_span("retrieval kb", kind=SpanKind.CLIENT) as span:
            found = PASSAGES
            rows = [{"id": row["id"], "score": row["score"], "content": row["text"]} for row in found]
            span.set_attribute("gen_ai.operation.name", "retrieval")
            span.set_attribute("openinference.span.kind", "RETRIEVER")
            span.set_attribute("gen_ai.data_source.id", "kb")
            span.set_attribute("gen_ai.retrieval.query.text", QUESTION)
            span.set_attribute("gen_ai.retrieval.top_k", 10)
            documents = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
            span.set_attribute("gen_ai.retrieval.documents", documents)
            return found

    def message(role: str, text: str) -> str:
        parts = [{"role": role, "parts": [{"type": "text", "content": text}]}]
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))

    def generation() -> str:
        with tracer.start_as_current_span("chat m", kind=SpanKind.CLIENT) as span:
            answer = ANSWER
            span.set_attribute("gen_ai.operation.name", "chat")
            span.set_attribute("openinference.span.kind", "LLM")
            span.set_attribute("gen_ai.request.model", "m")
            span.set_attribute("gen_ai.input.messages", message("user", QUESTION))
            span.set_attribute("gen_ai.output.messages", message("assistant", answer))
            return answer

    def request() -> str:
        with tracer.start_as_current_span("invoke_workflow ask") as span:
            span.set_attribute("gen_ai.operation.name", "invoke_workflow")
            span.set_attribute("openinference.span.kind", "CHAIN")
            span.set_attribute("gen_ai.workflow.name", "ask")
            span.set_attribute("input.value", QUESTION)
            retrieval()
            answer = generation()
            span.set_attribute("output.value", answer)
            return answer

    async def request_async() -> str:
        async def retrieve() -> list[dict[str, object]]:
            return retrieval()

        async def generate() -> str:
            return generation()

        with tracer.start_as_current_span("invoke_workflow ask") as span:
            span.set_attribute("gen_ai.operation.name", "invoke_workflow")
            span.set_attribute("openinference.span.kind", "CHAIN")
            span.set_attribute("gen_ai.workflow.name", "ask")
            span.set_attribute("input.value", QUESTION)
            await retrieve()
            answer = await generate()
            span.set_attribute("output.value", answer)
            return answer

    return provider, (request, request_async)


def decorated() -> tuple[Callable[[], str], Callable[[], Coroutine[Any, Any, str]]]:
    """The same request with our decorators."""
    from ragvigil.tracer import trace_generator, trace_rag, trace_retriever

    @trace_retriever(source="kb")
    def search(query: str, top_k: int = 10) -> list[dict[str, object]]:
        return PASSAGES

    @trace_generator(model="m")
    def write(question: str, passages: object) -> str:
        return ANSWER

    @trace_rag
    def ask(question: str) -> str:
        return write(question, search(question))

    @trace_retriever(source="kb")
    async def search_async(query: str, top_k: int = 10) -> list[dict[str, object]]:
        return PASSAGES

    @trace_generator(model="m")
    async def write_async(question: str, passages: object) -> str:
        return ANSWER

    @trace_rag(name="ask")
    async def ask_async(question: str) -> str:
        return await write_async(question, await search_async(question))

    return lambda: ask(QUESTION), lambda: ask_async(QUESTION)


def block(request: Callable[[], object]) -> tuple[float, float]:
    """Microseconds a request of one block: wall time in the caller, and CPU of the whole process."""
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(REQUESTS_A_BLOCK):
        request()
    scale = 1e6 / REQUESTS_A_BLOCK
    return (time.perf_counter() - wall) * scale, (time.process_time() - cpu) * scale


def interleaved(
    one: Callable[[], object], other: Callable[[], object], *, flush: Callable[[], object]
) -> list[float]:
    """Medians of both: wall of one, wall of the other, CPU of one, CPU of the other."""
    rows: list[tuple[float, float, float, float]] = []
    for _ in range(BLOCKS):
        flush()
        wall, cpu = block(one)
        flush()
        other_wall, other_cpu = block(other)
        rows.append((wall, other_wall, cpu, other_cpu))
    return [statistics.median(column) for column in zip(*rows[2:], strict=True)]


def request_cost() -> None:
    """Decorators against spans by hand, sync and async, with the bytes of both."""
    from ragvigil.tracer import configure

    theirs, ours = Sink(), Sink()
    hand, hand_async = by_hand(theirs)
    tracing = configure(service_name="bench", exporter=ours)
    ask, ask_async = decorated()
    loop = asyncio.new_event_loop()
    pairs: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        ("sync", hand, ask),
        (
            "async",
            lambda: loop.run_until_complete(hand_async()),
            lambda: loop.run_until_complete(ask_async()),
        ),
    ]
    for label, one, other in pairs:
        wall, our_wall, cpu, our_cpu = interleaved(one, other, flush=tracing.flush)
        row(f"request {label}, by hand", f"{wall:.1f} us", f"CPU {cpu:.1f} us")
        row(f"request {label}, decorated", f"{our_wall:.1f} us", f"x {our_wall / wall:.2f}")
        row(
            f"  CPU with batching, dropped at export ({label})", f"{our_cpu:.1f} us", f"x {our_cpu / cpu:.2f}"
        )
    tracing.flush()
    row(
        "attribute bytes a request, by hand / ours",
        f"{theirs.per_request():.0f}",
        f"{ours.per_request():.0f}",
    )
    tracing.shutdown()
    loop.close()


def quiet_cost() -> None:
    """What three decorators cost when nothing is recorded."""
    ask, _ = decorated()
    plain = statistics.median(block(lambda: ANSWER)[0] for _ in range(BLOCKS))
    idle = statistics.median(block(ask)[0] for _ in range(BLOCKS)) - plain
    row("three decorators, no provider", f"{idle:.2f} us", "")
    os.environ["RAGVIGIL_DISABLED"] = "1"
    try:
        off, _ = decorated()
        cost = statistics.median(block(off)[0] for _ in range(BLOCKS)) - plain
    finally:
        del os.environ["RAGVIGIL_DISABLED"]
    row("three functions, RAGVIGIL_DISABLED=1", f"{cost:.2f} us", "of which the calls themselves")


def stream_cost() -> None:
    """Microseconds that tracing adds to one streamed piece."""
    from ragvigil.tracer import configure, trace_generator

    def pieces(question: str) -> Any:
        for _ in range(10_000):
            yield "word "

    traced = trace_generator(pieces)
    tracing = configure(service_name="bench", exporter=Sink())

    def consume(stream: Callable[[str], Any]) -> float:
        started = time.perf_counter()
        for _ in stream(QUESTION):
            pass
        return (time.perf_counter() - started) * 1e6 / 10_000

    added = statistics.median(consume(traced) - consume(pieces) for _ in range(20))
    tracing.shutdown()
    row("a streamed piece", f"+ {added:.2f} us", "")


def import_cost() -> None:
    """Import time in fresh processes, against the SDK's."""
    statements = {
        "import opentelemetry.sdk.trace": "import opentelemetry.sdk.trace",
        "import ragvigil.tracer": "import ragvigil.tracer",
    }
    seconds: dict[str, list[float]] = {label: [] for label in statements}
    for _ in range(9):
        for label, statement in statements.items():
            program = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
            output = subprocess.run(
                [sys.executable, "-c", program], capture_output=True, text=True, check=True
            ).stdout
            seconds[label].append(float(output))
    sdk, ours = (statistics.median(times) * 1e3 for times in seconds.values())
    row("import opentelemetry.sdk.trace", f"{sdk:.1f} ms", "")
    row("import ragvigil.tracer", f"{ours:.1f} ms", f"x {ours / sdk:.2f}")


SINK = """
import asyncio, sys
sys.path[:0] = []
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
"""An OTLP/HTTP sink in a process of its own: it takes every request and says yes."""


def export_cost() -> None:
    """Process CPU a request with real export over HTTP to a sink in another process, final flush included.

    By hand is the SDK's batch processor and OTLP exporter; its queue is large enough to drop nothing.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    from ragvigil.tracer import configure

    with subprocess.Popen([sys.executable, "-c", SINK], stdout=subprocess.PIPE, text=True) as sink:
        assert sink.stdout is not None
        endpoint = f"http://127.0.0.1:{sink.stdout.readline().strip()}"
        provider, hand = _hand_exported(OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces"))
        tracing = configure(service_name="bench", endpoint=endpoint)
        ask, _ = decorated()
        pairs: list[tuple[Callable[[], str], Callable[[], object]]] = [
            (hand, provider.force_flush),
            (ask, tracing.flush),
        ]
        seconds: list[list[float]] = [[], []]
        for _ in range(BLOCKS):
            for column, (request, flush) in zip(seconds, pairs, strict=True):
                started = time.process_time()
                for _ in range(REQUESTS_A_BLOCK):
                    request()
                flush()
                column.append((time.process_time() - started) * 1e6 / REQUESTS_A_BLOCK)
        cpu, our_cpu = (statistics.median(column[2:]) for column in seconds)
        row("CPU a request with OTLP export, by hand", f"{cpu:.1f} us", "final flush included")
        row("CPU a request with OTLP export, decorated", f"{our_cpu:.1f} us", f"x {our_cpu / cpu:.2f}")
        row("  spans dropped", str(tracing.dropped_spans), "")
        tracing.shutdown()
        provider.shutdown()
        sink.terminate()


def _hand_exported(exporter: SpanExporter) -> tuple[TracerProvider, Callable[[], str]]:
    provider, tracer_of = _provider(exporter)
    return provider, tracer_of[0]


def broken_cost() -> None:
    """Three decorators when configure() failed, and when the scorer is dead and the queue full of its spans."""
    from ragvigil.tracer import configure

    ask, _ = decorated()
    plain = statistics.median(block(lambda: ANSWER)[0] for _ in range(BLOCKS))
    configure(service_name="bench", endpoint="no scheme")
    broken = statistics.median(block(ask)[0] for _ in range(BLOCKS)) - plain
    row("three decorators, configure() failed", f"{broken:.2f} us", "")


def memory_of_a_long_stream() -> None:
    """Peak memory of tracing a stream of 100 MB."""
    from ragvigil.tracer import configure, trace_generator

    @trace_generator
    def write(question: str) -> Any:
        for _ in range(10_000):
            yield "x" * 10_000

    tracing = configure(service_name="bench", exporter=Sink())
    tracemalloc.start()
    for _ in write(QUESTION):
        pass
    tracing.flush()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    tracing.shutdown()
    row("peak memory of a 100 MB stream", f"{peak / 2**20:.2f} MB", "")


def row(label: str, figure: str, note: str) -> None:
    """Print one line of the table."""
    print(f"{label:<52}{figure:>14}  {note}")


def main() -> None:
    """Print the table."""
    row("tracer", "median", "against by hand")
    request_cost()
    quiet_cost()
    broken_cost()
    export_cost()
    stream_cost()
    memory_of_a_long_stream()
    import_cost()


if __name__ == "__main__":
    main()
