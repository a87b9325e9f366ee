"""Without ``configure()`` requests go along into threads too, once the service's own provider records them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragvigil.tracer import configure, trace_rag, trace_retriever
from ragvigil.tracer._runtime import destination


@pytest.fixture(autouse=True)
def untouched() -> Iterator[None]:
    """Threads are as Python made them: a test of another file may have traced before, in the same process."""
    destination.use(None)
    for _ in range(400):  # an earlier tracing ends in a thread of its own
        if not any(hasattr(method, "__wrapped__") for method in methods()):
            break
        time.sleep(0.05)
    yield
    destination.use(None)


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What the service's own provider exported."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    yield exporter
    provider.shutdown()


@trace_retriever
def search(query: str) -> list[str]:
    """A retriever."""
    return [query]


@trace_rag
def ask(question: str) -> str:
    """A request with a thread and a pool."""
    thread = threading.Thread(target=search, args=("thread",))
    thread.start()
    thread.join()
    with ThreadPoolExecutor() as pool:
        pool.submit(search, "pool").result(30)
    return "so"


def methods() -> tuple[object, object]:
    """What is replaced."""
    return threading.Thread.start, ThreadPoolExecutor.submit


def parents(exporter: InMemorySpanExporter) -> list[str]:
    """Of the two searches, the name of the parent, or that there is none."""
    spans = exporter.get_finished_spans()
    by_id = {span.context.span_id: span.name for span in spans if span.context}
    return [
        by_id[span.parent.span_id] if span.parent else "none" for span in spans if span.name == "retrieval"
    ]


def test_threads_and_pools_are_parts_of_the_request(theirs: InMemorySpanExporter) -> None:
    """Nothing is wrapped by the service."""
    ask("why")
    assert parents(theirs) == ["invoke_workflow ask"] * 2


def test_nothing_is_replaced_before_the_first_call_that_somebody_receives() -> None:
    """A library that is only imported, or traces for nobody, leaves the process as it was."""
    before = methods()
    ask("why")
    assert methods() == before


def test_the_environment_can_say_no(theirs: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch) -> None:
    """For who wants no method replaced."""
    monkeypatch.setenv("RAGVIGIL_THREADS", "0")
    before = methods()
    ask("why")
    assert methods() == before
    assert parents(theirs) == ["none"] * 2


def test_configure_decides_from_then_on(theirs: InMemorySpanExporter) -> None:
    """``threads=False`` takes it back, and the end of that tracing brings it again."""
    before = methods()
    ask("why")
    assert methods() != before
    tracing = configure(service_name="tests", exporter=InMemorySpanExporter(), threads=False)
    assert methods() == before
    tracing.shutdown()
    ask("why")
    assert methods() != before
    destination.use(None)
    assert methods() == before


def test_many_first_calls_at_once_replace_once(theirs: InMemorySpanExporter) -> None:
    """And so it can be put back."""
    before = methods()
    ready = threading.Barrier(8)

    def first() -> None:
        ready.wait(30)
        search("why")

    threads = [threading.Thread(target=first) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert methods() != before
    destination.use(None)
    assert methods() == before
