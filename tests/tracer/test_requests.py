"""One request across threads, tasks, processes and services; blocks, records, feedback and retries."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import anyio.to_thread
import pytest
from opentelemetry import context as otel_context
from opentelemetry import propagate
from opentelemetry.baggage import get_all

from ragvigil.tracer import (
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
    reranker_span,
    retriever_span,
    trace_generator,
    trace_rag,
    trace_retriever,
)

from .conftest import Receiver, Recording, documents
from .test_exit_and_fork import run


@trace_retriever
def search(query: str) -> list[tuple[str, str]]:
    """A retriever."""
    return [("p1", "Water boils at 100 °C.")]


def parents(recording: Recording) -> dict[str, str | None]:
    """Names of all spans with those of their parents."""
    return {span["name"]: span["parent"] for span in recording.spans()}


INSIDE = {"retrieval": "invoke_workflow ask", "invoke_workflow ask": None}


def test_a_thread_and_a_pool_keep_the_parent_when_the_context_is_carried(recording: Recording) -> None:
    """Plain threads carry nothing by themselves, so the function is wrapped; many at once share one wrapper."""

    @trace_rag
    def ask(question: str) -> str:
        carried = in_context(search)
        with ThreadPoolExecutor(4) as pool:
            assert len(list(pool.map(carried, [question] * 20))) == 20
        thread = threading.Thread(target=carried, args=(question,))
        thread.start()
        thread.join()
        return "so"

    ask("why")
    spans = recording.spans()
    assert [span["parent"] for span in spans] == ["invoke_workflow ask"] * 21 + [None]
    assert len(recording.trace_ids()) == 1


async def test_tasks_to_thread_and_anyio_keep_the_parent(recording: Recording) -> None:
    """These carry the context by themselves."""

    @trace_rag
    async def ask(question: str) -> str:
        await asyncio.gather(
            asyncio.create_task(asyncio.to_thread(search, question)),
            asyncio.to_thread(search, question),
            anyio.to_thread.run_sync(search, question),
        )
        return "so"

    await asyncio.gather(ask("one"), ask("two"))
    assert parents(recording) == INSIDE
    assert len(recording.trace_ids()) == 2
    assert len(recording.spans()) == 8


def test_concurrent_threads_do_not_mix_their_requests(recording: Recording) -> None:
    """Each thread has a current span and facts of its own."""

    @trace_rag
    def ask(question: str) -> str:
        context(conversation_id=question)
        search(question)
        return question

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, map(str, range(100)))) == list(map(str, range(100)))
    by_conversation: dict[object, set[object]] = {}
    for span in recording.spans():
        asked = span["attributes"].get("input.value") or span["attributes"]["gen_ai.retrieval.query.text"]
        by_conversation.setdefault(span["attributes"]["gen_ai.conversation.id"], set()).add(asked)
    assert by_conversation == {str(index): {str(index)} for index in range(100)}
    assert len(recording.trace_ids()) == 100


def test_a_process_forked_inside_a_request_is_part_of_it(receiver: Receiver) -> None:
    """The child's span has the parent's root as its parent, and both are delivered once."""
    done = run(
        """
        import os
        from ragvigil.tracer import configure, trace_rag, trace_retriever
        tracing = configure(service_name="forking")

        @trace_retriever
        def search(query):
            return ["Ice"]

        @trace_rag
        def ask(question):
            child = os.fork()
            if child == 0:
                search(question)
                os._exit(0 if tracing.flush() else 1)
            assert os.waitpid(child, 0)[1] == 0
            return "so"

        ask("why")
        assert tracing.flush()
        """,
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
        PYTHONWARNINGS="ignore::DeprecationWarning",
    )
    assert (done.returncode, done.stderr) == (0, "")
    spans = {span.name: span for span in receiver.spans()}
    assert len(receiver.spans()) == 2
    assert spans["retrieval"].parent_span_id == spans["invoke_workflow ask"].span_id


def test_facts_cross_services_in_baggage(recording: Recording) -> None:
    """What one service knows, the spans of the next one carry; a user id in clear stays at home."""
    headers: dict[str, str] = {}

    @trace_rag
    def front(question: str) -> str:
        context(conversation_id="c-1", user_id="ana", language="pt", answer_type="steps", experiment="B")
        propagate.inject(headers)
        return "so"

    front("why")
    assert "ana" not in headers["baggage"]
    arrived = otel_context.attach(propagate.extract(headers))
    try:
        search("why")
    finally:
        otel_context.detach(arrived)
    carried = recording.spans()[1]["attributes"]
    assert carried["gen_ai.conversation.id"] == carried["session.id"] == "c-1"
    assert carried["ragvigil.segment.language"] == "pt"
    assert carried["ragvigil.segment.answer_type"] == "steps"
    assert carried["ragvigil.segment.experiment"] == "B"
    assert "user.id" not in carried
    assert dict(get_all()) == {}


@pytest.mark.parametrize(("baggage", "crosses"), [(True, True), (False, False), (None, False)])
def test_baggage_can_take_the_user_along_or_nothing(
    recording: Recording, baggage: bool | None, crosses: bool
) -> None:
    """The service decides."""
    headers: dict[str, str] = {}
    with context(user_id="ana", baggage=baggage):
        propagate.inject(headers)
    assert ("ana" in headers.get("baggage", "")) is crosses


def test_hostile_baggage_is_bounded(recording: Recording) -> None:
    """Anybody may send headers."""
    many = ",".join(f"ragvigil.segment.k{index}=v" for index in range(150))
    arrived = otel_context.attach(propagate.extract({"baggage": f"other=1,user.id={'x' * 900},{many}"}))
    try:
        search("why")
    finally:
        otel_context.detach(arrived)
    attributes = recording.attributes()
    assert len(attributes) < 40
    assert len(str(attributes["user.id"])) <= 256
    assert "other" not in attributes


def test_user_ids_are_hashed_at_the_source_with_a_key(
    record: Callable[..., Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for the same key, on every way that a user id can come."""
    recording = record(hash_user_id=True)

    @trace_rag(user_id="who")
    def ask(question: str, who: str) -> str:
        return "so"

    ask("why", "ana")
    with context(user_id="ana"):
        search("why")
    monkeypatch.setenv("RAGVIGIL_HASH_KEY", "another")
    with context(user_id="ana"):
        search("why")
    first, second, third = (str(span["attributes"]["user.id"]) for span in recording.spans())
    assert first == second != third
    assert len(first) == 32
    assert "ana" not in first


def test_a_cached_answer_says_so(recording: Recording) -> None:
    """A boolean, on the spans that end after it is known."""

    @trace_rag
    def ask(question: str) -> str:
        context(cached=True)
        return "so"

    ask("why")
    assert recording.attributes()["ragvigil.cached"] is True


def test_retries_are_events_of_one_generation(recording: Recording) -> None:
    """By hand, or as tenacity's ``before_sleep``."""

    @trace_generator
    def write(question: str) -> str:
        record_retry(TimeoutError("slow"), attempt=1)
        failed = SimpleNamespace(exception=lambda: ConnectionError("reset"))
        record_retry(SimpleNamespace(outcome=failed, attempt_number=2))
        return "so"

    write("why")
    record_retry("outside of any request")
    assert recording.span()["events"] == ["retry", "retry"]


def test_a_reason_in_words_stays_here(recording: Recording) -> None:
    """Events are no content, so a reason is recorded where it is a name."""

    @trace_generator
    def write(question: str) -> str:
        record_retry("rate_limit")
        record_retry("ana@example.org is over her quota")
        return "so"

    write("why")
    (span,) = recording.raw()
    assert [(event.attributes or {})["error.type"] for event in span.events] == ["rate_limit", "_OTHER"]


def test_blocks_trace_code_that_cannot_be_decorated(recording: Recording) -> None:
    """The same spans as the decorators make."""
    with rag_span("When?", name="support") as request:
        with retriever_span("When?", source="kb", top_k=2) as found:
            found.result([("p1", "Ice", 0.5)])
        with reranker_span("When?", [("p1", "Ice")], model="ce") as ranked:
            ranked.result([("p1", "Ice")])
        with generator_span("When?", model="m") as written:
            written.piece("At 0 ")
            written.piece("°C [1]")
        request.result("At 0 °C [1]")
        assert request.trace_id == current_trace_id()
    retrieval, reranking, generation, root = recording.spans()
    assert root["name"] == "invoke_workflow support"
    assert [span["parent"] for span in (retrieval, reranking, generation)] == ["invoke_workflow support"] * 3
    assert documents(retrieval["attributes"]) == [{"id": "p1", "score": 0.5, "content": "Ice"}]
    assert retrieval["attributes"]["gen_ai.retrieval.top_k"] == 2
    assert reranking["attributes"]["ragvigil.rerank.input_ids"] == ["p1"]
    assert "At 0 °C [1]" in str(generation["attributes"]["gen_ai.output.messages"])
    assert generation["attributes"]["ragvigil.citations.ids"] == ["p1"]
    assert generation["attributes"]["gen_ai.request.stream"] is True
    assert root["attributes"]["output.value"] == "At 0 °C [1]"


async def test_a_block_notes_an_error_and_lets_it_go_on(recording: Recording) -> None:
    """Also as ``async with``."""

    async def fail() -> None:
        async with rag_span("When?"):
            await asyncio.sleep(0)
            raise LookupError("gone")

    with pytest.raises(LookupError):
        await fail()
    assert recording.attributes()["error.type"] == "LookupError"


def test_what_is_over_is_recorded_with_its_times(
    receiver: Receiver, record: Callable[..., Recording]
) -> None:
    """From a log, a queue or a batch job."""
    recording = record()
    with rag_span("When?") as request:
        request.result("At 0 °C")
        record_retrieval("When?", [("p1", "Ice")], seconds=0.25, ended_at=1_700_000_000.0, source="kb")
        record_generation("When?", {"answer": "At 0 °C", "usage": {"output_tokens": 4}}, model="m")
    whole = record_request("Why?", "So [1].", documents=["Ice"], seconds=2.0, ended_at=1_700_000_000.0)
    assert whole is not None
    spans = recording.spans()
    assert [span["parent"] for span in spans] == [
        "invoke_workflow request", "invoke_workflow request", None, "invoke_workflow request",
        "invoke_workflow request", None,
    ]  # fmt: skip
    assert spans[1]["attributes"]["gen_ai.usage.output_tokens"] == 4
    retrieval, *_, last = recording.raw()
    assert retrieval.end_time == 1_700_000_000_000_000_000
    assert retrieval.start_time == retrieval.end_time - 250_000_000
    assert last.start_time is not None
    assert last.end_time == last.start_time + 2_000_000_000


def test_nothing_is_recorded_and_nothing_breaks_without_a_provider() -> None:
    """The state of most test suites and scripts."""
    with rag_span("When?") as request:
        request.piece("x")
        request.result("x")
    assert request.trace_id is None
    assert record_retrieval("q", []) is None
    assert record_generation("q", "a") is None
    assert record_request("q", "a") is None
    assert record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", thumbs_up=True) is False


def test_generators_of_generators_and_coroutines_from_functions(recording: Recording) -> None:
    """A stream that yields streams passes them through; a function may return a coroutine."""

    @trace_generator
    def nested(question: str) -> Iterator[Iterator[str]]:
        yield (letter for letter in "ab")

    @trace_generator
    def later(question: str) -> object:
        async def answer() -> str:
            return "so"

        return answer()

    assert [list(inner) for inner in nested("why")] == [["a", "b"]]
    coroutine = later("why")
    assert asyncio.iscoroutine(coroutine)
    assert asyncio.run(coroutine) == "so"
    first, second = (span["attributes"] for span in recording.spans())
    assert first["ragvigil.unreadable"] == ["answer: generator"]
    assert '"so"' in str(second["gen_ai.output.messages"])
