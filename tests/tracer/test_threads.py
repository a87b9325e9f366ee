"""A request goes along into plain threads and pools, and whatever is replaced for that is put back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.pool import ThreadPool
from queue import SimpleQueue
from types import MethodType

import pytest
from opentelemetry import context as otel_context

from ragvigil.tracer import _scope, context, trace_rag, trace_retriever
from ragvigil.tracer.testing import captured

from .conftest import Receiver, Recording
from .test_exit_and_fork import run

ROOT = "invoke_workflow ask"


@trace_retriever
def search(query: str) -> list[str]:
    """A retriever."""
    return [query]


class Searching(threading.Thread):
    """A thread with a ``run`` of its own."""

    def run(self) -> None:
        """Search."""
        search("subclass")


def in_thread(thread: threading.Thread) -> None:
    """Run a thread to its end."""
    thread.start()
    thread.join()


def parents(recording: Recording) -> list[str | None]:
    """The parents of all spans, in the order the spans ended."""
    return [span["parent"] for span in recording.spans()]


def in_request(action: Callable[[], object]) -> str:
    """Do this inside of a traced request."""

    @trace_rag
    def ask(question: str) -> str:
        action()
        return "so"

    return ask("why")


def test_threads_timers_and_pools_are_parts_of_the_request(recording: Recording) -> None:
    """Nothing is wrapped by the service."""

    @trace_rag
    def ask(question: str) -> str:
        context(conversation_id="c-1")
        in_thread(threading.Thread(target=search, args=(question,)))
        in_thread(threading.Timer(0, search, (question,)))
        in_thread(Searching())
        with ThreadPoolExecutor(2) as pool:
            assert pool.submit(search, question).result() == [question]
            assert list(pool.map(search, "abc")) == [["a"], ["b"], ["c"]]
        return "so"

    ask("why")
    assert parents(recording) == [ROOT] * 7 + [None]
    assert len(recording.trace_ids()) == 1
    assert {span["attributes"]["gen_ai.conversation.id"] for span in recording.spans()} == {"c-1"}


async def test_run_in_executor_is_a_part_of_the_request(recording: Recording) -> None:
    """Unlike ``to_thread``, it carries nothing by itself."""

    @trace_rag
    async def ask(question: str) -> list[str]:
        return await asyncio.get_running_loop().run_in_executor(None, search, question)

    await asyncio.gather(ask("one"), ask("two"))
    assert parents(recording).count(ROOT) == 2
    assert len(recording.trace_ids()) == 2


def test_a_shared_pool_gives_each_task_its_own_request(recording: Recording) -> None:
    """Its workers were started inside of the first request, and serve all and none."""
    with ThreadPoolExecutor(1) as pool:

        @trace_rag
        def ask(question: str) -> str:
            return pool.submit(search, question).result()[0]

        assert [ask(str(number)) for number in range(5)] == ["0", "1", "2", "3", "4"]

        @trace_rag(name="other")
        def wait(question: str) -> None:
            outside.put(None)
            done.get(timeout=10)

        outside: SimpleQueue[None] = SimpleQueue()
        done: SimpleQueue[None] = SimpleQueue()
        waiting = threading.Thread(target=wait, args=("w",))
        waiting.start()
        outside.get(timeout=10)
        pool.submit(search, "outside of any").result()
        done.put(None)
        waiting.join()
    assert len(recording.trace_ids()) == 7
    assert parents(recording) == [ROOT, None] * 5 + [None, None]


def test_a_pool_worker_started_inside_of_an_open_request_is_no_part_of_it(recording: Recording) -> None:
    """A task from outside runs in it while that request still lasts."""
    with ThreadPoolExecutor(1) as pool:

        @trace_rag
        def ask(question: str) -> str:
            pool.submit(search, "mine").result()
            outside = otel_context.attach(otel_context.Context())
            try:
                pool.submit(search, "not mine").result()
            finally:
                otel_context.detach(outside)
            return "so"

        ask("why")
    assert parents(recording) == [ROOT, None, None]


def test_a_long_lived_thread_starts_new_requests_when_its_own_is_over(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was started lazily, inside of the first request, is not a part of it for ever."""
    jobs: SimpleQueue[tuple[Callable[[], object], threading.Event] | None] = SimpleQueue()

    def work() -> None:
        while (job := jobs.get()) is not None:
            job[0]()
            job[1].set()

    def do(job: Callable[[], object]) -> None:
        jobs.put((job, done := threading.Event()))
        assert done.wait(10)

    worker = threading.Thread(target=work)

    @trace_rag
    def ask(question: str) -> str:
        if not worker.is_alive():
            worker.start()
        return "so"

    ask("first")
    do(lambda: search("late"))
    do(lambda: ask("second"))
    monkeypatch.setattr(_scope, "LATE_SECONDS", -1.0)
    do(lambda: search("later"))
    jobs.put(None)
    worker.join()
    assert [(span["name"], span["parent"]) for span in recording.spans()] == [
        (ROOT, None),
        ("retrieval", ROOT),
        (ROOT, None),
        ("retrieval", None),
    ]


def test_a_thread_pool_of_multiprocessing_is_a_part_where_the_request_made_it(recording: Recording) -> None:
    """A shared one's workers know no request: what they do is nobody's part, and never another request's."""
    with ThreadPool(2) as shared:
        for _ in range(2):
            in_request(lambda: shared.map(search, ["shared"]))
        in_request(partial(_in_own_pool, search))
    assert parents(recording) == [None, None, None, None, ROOT, None]


def _in_own_pool(task: Callable[[str], object]) -> None:
    with ThreadPool(1) as pool:
        pool.map(task, ["own"])


def test_a_traced_unit_test_sees_pools_as_parts_too() -> None:
    """``captured`` carries as ``configure`` does."""

    @trace_rag
    def ask(question: str) -> str:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(search, question).result()[0]

    with captured() as rag:
        ask("why")
    assert [document.text for document in rag.request.documents] == ["why"]
    assert isinstance(threading.Thread().run, MethodType)


def test_processes_forked_inside_of_a_request_are_parts_and_pool_workers_are_not(receiver: Receiver) -> None:
    """A process pool forks its workers in the first request and keeps them for all."""
    done = run(
        """
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        from ragvigil.tracer import configure, trace_rag, trace_retriever
        tracing = configure(service_name="forking")
        forking = multiprocessing.get_context("fork")

        @trace_retriever
        def search(query):
            return [query]

        def searching(query):
            search(query)
            return tracing.flush()

        @trace_rag
        def fork(question):
            child = forking.Process(target=searching, args=("process",))
            child.start()
            child.join()
            assert child.exitcode == 0

        @trace_rag
        def ask(question):
            assert pool.submit(searching, "executor").result()

        @trace_rag
        def old(question):
            with forking.Pool(1) as old_pool:
                assert old_pool.apply(searching, ("pool",))

        fork("why")
        with ProcessPoolExecutor(1, mp_context=forking) as pool:
            ask("one")
            ask("two")
        old("why")
        assert tracing.flush()
        """,
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
        PYTHONWARNINGS="ignore::DeprecationWarning",
    )
    assert (done.returncode, done.stderr) == (0, "")
    spans = receiver.spans()
    roots = {span.span_id: span.name for span in spans if span.name != "retrieval"}
    searches = [
        (
            next(
                one.value.string_value for one in span.attributes if one.key == "gen_ai.retrieval.query.text"
            ),
            roots.get(span.parent_span_id),
        )
        for span in spans
        if span.name == "retrieval"
    ]
    assert sorted(searches, key=str) == [
        ("executor", None),
        ("executor", None),
        ("pool", None),
        ("process", "invoke_workflow fork"),
    ]
