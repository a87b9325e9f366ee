"""The tracer's API as services type it: checked by mypy and pyright, never run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from datetime import datetime, timedelta
from typing import Any, assert_type

from ragvigil.tracer import (
    Limits,
    Tracing,
    configure,
    context,
    current_trace_id,
    generator_span,
    in_context,
    rag_span,
    record_feedback,
    record_generation,
    record_request,
    record_retrieval,
    record_retry,
    trace_generator,
    trace_rag,
    trace_reranker,
    trace_retriever,
)

assert_type(configure(service_name="shop"), Tracing)
assert_type(
    configure(
        service_name="shop",
        endpoint="http://scorer:4318",
        environment="production",
        service_version="1.4.0",
        headers={"Authorization": "Bearer t"},
        content="ids_only",
        limits=Limits(documents=20),
    ).flush(timeout_seconds=1.0),
    bool,
)


@trace_retriever
def search(query: str, top_k: int = 5) -> list[tuple[str, str, float]]:
    """A bare decorator on a function."""
    return [("p1", query, float(top_k))]


@trace_reranker(model="cross-encoder", documents="found")
async def rerank(query: str, found: list[tuple[str, str, float]]) -> list[str]:
    """A decorator with options on a coroutine function."""
    return [text for _, text, _ in found]


@trace_generator(model="llama-3.3-70b", provider="local", extract=lambda chunk: chunk["text"])
def stream(question: str) -> Iterator[dict[str, str]]:
    """A generator function."""
    yield {"text": question}


@trace_generator
async def stream_async(question: str) -> AsyncIterator[str]:
    """An asynchronous generator function."""
    yield question


@trace_rag(conversation_id="thread", user_id="user", segment={"tenant": "acme"})
def ask(question: str, *, thread: str, user: str | None = None) -> str:
    """A root with options, and facts of the request."""
    with context(prompt_version="v3", segment={"language": "pt"}):
        return search(question)[0][1]


class Engine:
    """Methods keep their binding."""

    @trace_rag
    def ask(self, question: str) -> int:
        """A method."""
        return len(question)


with rag_span("q", name="support") as request, generator_span("q", model="m") as written:
    written.piece("a")
    request.result("a")
    assert_type(request.trace_id, str | None)

assert_type(current_trace_id(), str | None)
assert_type(record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", thumbs_up=True, kind="follow_up"), bool)
assert_type(record_request("q", "a", documents=["d"], seconds=1.5), str | None)
assert_type(record_retrieval("q", ["d"], seconds=timedelta(seconds=1), content="ids_only"), str | None)
assert_type(record_generation(None, {"answer": "a"}, ended_at=datetime.now(), model="m"), str | None)
record_retry(TimeoutError(), attempt=2)
assert_type(in_context(search)("q", top_k=3), list[tuple[str, str, float]])
assert_type(search("q"), list[tuple[str, str, float]])
assert_type(search("q", top_k=3), list[tuple[str, str, float]])
reranking: Coroutine[Any, Any, list[str]] = rerank("q", [])
assert_type(stream("q"), Iterator[dict[str, str]])
assert_type(stream_async("q"), AsyncIterator[str])
assert_type(ask("q", thread="t"), str)
assert_type(Engine().ask("q"), int)
assert_type(trace_retriever(len)([]), int)
retrieve: Callable[[str], list[str]] = trace_retriever(source="kb")(str.split)

search(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] - a wrong argument must be found
ask("q")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue] - a missing argument must be found
