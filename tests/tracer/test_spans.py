"""Whole spans, as they leave the service."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator

import pytest
from opentelemetry import trace

from ragvigil.tracer import context, trace_generator, trace_rag, trace_reranker, trace_retriever

from .conftest import Recording, SpanView

QUESTION = "When does water boil?"
ANSWER = "At 100 °C at sea level [1]."
ANSWER_MESSAGE = '[{"role":"assistant","parts":[{"type":"text","content":"At 100 °C at sea level [1]."}]'
QUESTION_MESSAGE = '[{"role":"user","parts":[{"type":"text","content":"When does water boil?"}]}]'
FOUND: list[dict[str, object]] = [
    {"id": "p1", "text": "Water boils at 100 °C.", "score": 0.91, "metadata": {"page": 3}},
    {"id": "p2", "text": "Ice melts at 0 °C.", "score": 0.4},
]
FOUND_JSON = (
    '[{"id":"p1","score":0.91,"content":"Water boils at 100 °C.","metadata":{"page":3}},'
    '{"id":"p2","score":0.4,"content":"Ice melts at 0 °C."}]'
)
SHARED = {
    "gen_ai.conversation.id": "c-42",
    "session.id": "c-42",
    "user.id": "u-7",
    "ragvigil.segment.language": "en",
    "ragvigil.prompt.version": "v3",
}


def expected_spans() -> list[SpanView]:
    """The four spans of one request, in the order they end."""
    return [
        {
            "name": "retrieval manual",
            "kind": "CLIENT",
            "parent": "invoke_workflow ask",
            "status": ("UNSET", None),
            "events": [],
            "attributes": {
                **SHARED,
                "gen_ai.operation.name": "retrieval",
                "openinference.span.kind": "RETRIEVER",
                "gen_ai.data_source.id": "manual",
                "gen_ai.retrieval.query.text": QUESTION,
                "gen_ai.retrieval.top_k": 2,
                "gen_ai.retrieval.documents": FOUND_JSON,
            },
        },
        {
            "name": "rerank cross-encoder",
            "kind": "INTERNAL",
            "parent": "invoke_workflow ask",
            "status": ("UNSET", None),
            "events": [],
            "attributes": {
                **SHARED,
                "gen_ai.operation.name": "rerank",
                "openinference.span.kind": "RERANKER",
                "gen_ai.request.model": "cross-encoder",
                "gen_ai.retrieval.query.text": QUESTION,
                "ragvigil.rerank.input_ids": ["p1", "p2"],
                "gen_ai.retrieval.documents": '[{"id":"p2","score":0.8},{"id":"p1","score":0.7}]',
            },
        },
        {
            "name": "chat llama-3.3",
            "kind": "CLIENT",
            "parent": "invoke_workflow ask",
            "status": ("UNSET", None),
            "events": [],
            "attributes": {
                **SHARED,
                "gen_ai.operation.name": "chat",
                "openinference.span.kind": "LLM",
                "gen_ai.provider.name": "local",
                "gen_ai.request.model": "llama-3.3",
                "gen_ai.response.model": "llama-3.3-70b",
                "gen_ai.response.id": "r-1",
                "gen_ai.response.finish_reasons": ["stop"],
                "gen_ai.usage.input_tokens": 87,
                "gen_ai.usage.output_tokens": 14,
                "ragvigil.citations.ids": ["p2"],
                "gen_ai.input.messages": QUESTION_MESSAGE,
                "gen_ai.output.messages": ANSWER_MESSAGE + ',"finish_reason":"stop"}]',
            },
        },
        {
            "name": "invoke_workflow ask",
            "kind": "INTERNAL",
            "parent": None,
            "status": ("UNSET", None),
            "events": [],
            "attributes": {
                **SHARED,
                "gen_ai.operation.name": "invoke_workflow",
                "openinference.span.kind": "CHAIN",
                "gen_ai.workflow.name": "ask",
                "input.value": QUESTION,
                "output.value": ANSWER,
                "ragvigil.citations.ids": ["p2"],
            },
        },
    ]


def reply() -> dict[str, object]:
    """What a chat client gives back."""
    return {
        "answer": ANSWER,
        "model": "llama-3.3-70b",
        "id": "r-1",
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 87, "completion_tokens": 14},
    }


def test_a_synchronous_request_makes_the_four_spans_of_the_convention(recording: Recording) -> None:
    """Names, kinds, parents, statuses and every attribute."""

    @trace_retriever(source="manual")
    def search(query: str, top_k: int = 2) -> list[dict[str, object]]:
        return FOUND

    @trace_reranker(model="cross-encoder")
    def rerank(query: str, documents: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{"id": "p2", "score": 0.8}, {"id": "p1", "score": 0.7}]

    @trace_generator(model="llama-3.3", provider="local")
    def write(question: str, passages: object) -> dict[str, object]:
        return reply()

    @trace_rag
    def ask(question: str) -> str:
        with context(conversation_id="c-42", user_id="u-7", segment={"language": "en"}, prompt_version="v3"):
            return str(write(question, rerank(question, search(question)))["answer"])

    assert ask(QUESTION) == ANSWER
    assert recording.spans() == expected_spans()
    assert len(recording.trace_ids()) == 1


async def test_an_asynchronous_request_makes_the_same_spans(recording: Recording) -> None:
    """Concurrent requests do not mix: each task has its own current span."""

    @trace_retriever(source="manual")
    async def search(query: str, top_k: int = 2) -> list[dict[str, object]]:
        await asyncio.sleep(0)
        return FOUND

    @trace_reranker(model="cross-encoder")
    async def rerank(query: str, documents: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{"id": "p2", "score": 0.8}, {"id": "p1", "score": 0.7}]

    @trace_generator(model="llama-3.3", provider="local")
    async def write(question: str, passages: object) -> dict[str, object]:
        await asyncio.sleep(0)
        return reply()

    @trace_rag
    async def ask(question: str) -> str:
        context(conversation_id="c-42", user_id="u-7", segment={"language": "en"}, prompt_version="v3")
        return str((await write(question, await rerank(question, await search(question))))["answer"])

    assert set(await asyncio.gather(ask(QUESTION), ask(QUESTION))) == {ANSWER}
    spans = recording.spans()
    assert len(recording.trace_ids()) == 2
    by_name = {str(span["name"]): span for span in spans}
    assert [by_name[str(span["name"])] for span in expected_spans()] == expected_spans()


def test_an_error_leaves_unchanged_and_marks_every_span_it_passes(recording: Recording) -> None:
    """The same exception object arrives, with only our frames added to its traceback."""
    raised = ConnectionError("vector store unreachable")

    @trace_retriever
    def search(query: str) -> list[str]:
        raise raised

    @trace_rag
    def ask(question: str) -> list[str]:
        return search(question)

    with pytest.raises(ConnectionError) as caught:
        ask(QUESTION)
    assert caught.value is raised
    assert raised.__context__ is None
    frames = [entry.name for entry in caught.traceback if entry.name != "wrapper"]
    assert frames[-2:] == ["ask", "search"]
    failed = ("ERROR", "ConnectionError: vector store unreachable")
    assert [span["status"] for span in recording.spans()] == [failed] * 2
    assert recording.spans()[0]["attributes"] == {
        "gen_ai.operation.name": "retrieval",
        "openinference.span.kind": "RETRIEVER",
        "gen_ai.retrieval.query.text": QUESTION,
        "error.type": "ConnectionError",
    }


def test_a_streamed_answer_is_one_span_and_is_never_current_between_pieces(recording: Recording) -> None:
    """The consumer's own spans must not become children of the generator."""

    @trace_generator(model="m")
    def write(question: str) -> Iterator[str]:
        assert trace.get_current_span().get_span_context().is_valid
        yield "At 100 "
        yield "°C"

    pieces: list[str] = []
    for piece in write(QUESTION):
        assert not trace.get_current_span().get_span_context().is_valid
        pieces.append(piece)
    assert pieces == ["At 100 ", "°C"]
    attributes = recording.attributes()
    assert isinstance(first := attributes.pop("gen_ai.response.time_to_first_chunk"), float)
    assert first > 0
    assert attributes == {
        "gen_ai.operation.name": "chat",
        "openinference.span.kind": "LLM",
        "gen_ai.request.model": "m",
        "gen_ai.request.stream": True,
        "gen_ai.input.messages": QUESTION_MESSAGE,
        "gen_ai.output.messages": (
            '[{"role":"assistant","parts":[{"type":"text","content":"At 100 °C"}],"finish_reason":"unknown"}]'
        ),
    }


@pytest.mark.parametrize("leave", ["close", "forget", "throw"])
def test_leaving_a_stream_early_ends_the_span_with_what_was_produced(
    recording: Recording, leave: str
) -> None:
    """Close, garbage collection, and an exception thrown in by the consumer."""
    finished: list[str] = []

    @trace_generator
    def write(question: str) -> Generator[str, None, None]:
        try:
            yield "At "
            yield "100"
        finally:
            finished.append("yes")

    stream = write(QUESTION)
    assert next(stream) == "At "
    if leave == "close":
        stream.close()
    elif leave == "throw":
        with pytest.raises(KeyError):
            stream.throw(KeyError("k"))
    del stream
    assert finished == ["yes"]
    attributes = recording.attributes()
    assert '"content":"At "' in str(attributes["gen_ai.output.messages"])
    assert attributes.get("ragvigil.stream.closed_early") is (None if leave == "throw" else True)
    assert attributes.get("error.type") == ("KeyError" if leave == "throw" else None)


def test_a_stream_keeps_what_is_sent_in_and_what_it_returns(recording: Recording) -> None:
    """A generator is a two-way street: send, throw and the return value go through."""

    @trace_generator
    def write(question: str) -> Generator[str, str, str]:
        heard = yield "a"
        try:
            yield f"heard {heard}"
        except ValueError:
            yield "caught"
        return "the end"

    stream = write(QUESTION)
    assert next(stream) == "a"
    assert stream.send("x") == "heard x"
    assert stream.throw(ValueError()) == "caught"
    with pytest.raises(StopIteration) as stop:
        next(stream)
    assert stop.value.value == "the end"
    assert recording.span()["status"] == ("UNSET", None)


async def test_an_asynchronous_stream_survives_an_early_break(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """Closing from another task neither raises nor logs."""

    @trace_generator
    async def write(question: str) -> AsyncGenerator[str, None]:
        yield "At "
        await asyncio.sleep(0)
        yield "100"

    @trace_rag
    async def ask(question: str) -> AsyncIterator[str]:
        async for piece in write(question):
            yield piece

    async for piece in ask(QUESTION):
        assert piece == "At "
        break
    whole = [piece async for piece in write(QUESTION)]
    abandoned = write(QUESTION)
    await anext(abandoned)
    await asyncio.create_task(abandoned.aclose())
    assert whole == ["At ", "100"]
    await asyncio.get_running_loop().shutdown_asyncgens()
    spans = recording.spans()
    assert sorted(str(span["name"]) for span in spans) == ["chat", "chat", "chat", "invoke_workflow ask"]
    root = next(span for span in spans if span["name"] == "invoke_workflow ask")
    assert root["attributes"]["output.value"] == "At "
    assert caplog.records == []


async def test_a_cancelled_call_ends_its_span(recording: Recording) -> None:
    """Cancellation is an error of the span, and still cancels."""

    @trace_generator
    async def write(question: str) -> str:
        await asyncio.sleep(60)
        return "never"

    task = asyncio.create_task(write(QUESTION))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert recording.attributes()["error.type"] == "asyncio.exceptions.CancelledError"


def test_a_destroyed_coroutine_logs_nothing(recording: Recording, caplog: pytest.LogCaptureFixture) -> None:
    """A coroutine that is collected while it waits gets its GeneratorExit in a foreign context."""

    @trace_rag
    async def ask(question: str) -> None:
        await Waiting()

    class Waiting:
        def __await__(self) -> Generator[None, None, None]:
            yield

    def start_and_keep() -> list[object]:
        coroutine = ask(QUESTION)
        coroutine.send(None)
        return [coroutine]

    kept: list[object] = []
    thread = threading.Thread(target=lambda: kept.extend(start_and_keep()))
    thread.start()
    thread.join()
    kept.clear()
    assert recording.span()["name"] == "invoke_workflow ask"
    assert caplog.records == []
