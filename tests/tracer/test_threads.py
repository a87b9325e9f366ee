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
from opentelemetry import trace
from opentelemetry.baggage import get_baggage
from opentelemetry.sdk.trace import TracerProvider

from ragvigil.tracer import _scope, configure, context, trace_rag, trace_retriever
from ragvigil.tracer.testing import captured

from .conftest import Receiver, Recording
from .test_delivery import run

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


def test_the_services_own_context_stays_where_it_was(record: Callable[..., Recording]) -> None:
    """Its current span and its baggage in a thread are what they would be without us; its results too."""
    theirs = TracerProvider(shutdown_on_exit=False)
    seen: list[object] = []

    def look(tag: str) -> str:
        seen.append((trace.get_current_span(), get_baggage("theirs"), get_baggage("session.id")))
        return tag

    recording = record()

    @trace_rag
    def ask(question: str) -> str:
        context(conversation_id="c-1")
        with theirs.get_tracer("service").start_as_current_span("theirs"), ThreadPoolExecutor(1) as pool:
            return pool.submit(look, tag="kept").result()

    _set_global(theirs)
    try:
        assert ask("why") == "kept"
    finally:
        _set_global(None)
        theirs.shutdown()
    assert seen == [(trace.INVALID_SPAN, None, "c-1")]
    assert recording.span()["name"] == ROOT


def _set_global(provider: TracerProvider | None) -> None:
    trace._TRACER_PROVIDER = provider  # pyright: ignore[reportPrivateUsage] - OpenTelemetry has no way back


def missing() -> None:
    """Fail."""
    raise KeyError("missing")


def test_errors_pass_and_a_thread_that_cannot_start_stays_as_it_was(recording: Recording) -> None:
    """The second start is the service's error, with the service's words."""
    failed: list[BaseException] = []

    class Failing(threading.Thread):
        def run(self) -> None:
            try:
                search("x")
                raise KeyError("theirs")
            except KeyError as error:
                failed.append(error)

    @trace_rag
    def ask(question: str) -> str:
        thread = Failing()
        in_thread(thread)
        assert "run" not in vars(thread)
        with pytest.raises(RuntimeError, match="threads can only be started once"):
            thread.start()
        assert "run" not in vars(thread)
        with ThreadPoolExecutor(1) as pool:
            assert isinstance(pool.submit(missing).exception(), KeyError)
            with pytest.raises(TypeError):
                pool.submit()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue] - the service's mistake
        return "so"

    assert ask("why") == "so"
    assert len(failed) == 1


def test_what_was_replaced_is_put_back_and_can_be_left_alone(record: Callable[..., Recording]) -> None:
    """With the last tracer; ``threads=False`` touches nothing."""
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit
    first = record(threads=True)
    assert (threading.Thread.start, ThreadPoolExecutor.submit) != (start, submit)
    second = record(threads=True, content="ids_only")
    with captured():
        second.tracing.shutdown()
        assert threading.Thread.start is not start
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == (start, submit)
    first.tracing.shutdown()
    untouched = record(threads=False)
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == (start, submit)
    seen = in_request(lambda: in_thread(threading.Thread(target=search, args=("x",))))
    assert seen == "so"
    assert parents(untouched) == [None, None]


def in_request(action: Callable[[], object]) -> str:
    """Do this inside of a traced request."""

    @trace_rag
    def ask(question: str) -> str:
        action()
        return "so"

    return ask("why")


def test_a_replacement_that_somebody_wrapped_stays_and_does_nothing(record: Callable[..., Recording]) -> None:
    """Putting the original back would undo theirs; a later tracer does not replace a second time."""
    start = threading.Thread.start
    recording = record()
    ours = threading.Thread.start
    calls: list[str] = []

    def theirs(thread: threading.Thread) -> None:
        calls.append(thread.name)
        ours(thread)

    try:
        threading.Thread.start = theirs  # type: ignore[method-assign, assignment]
        recording.tracing.shutdown()
        assert threading.Thread.start is theirs
        again = record(content="ids_only")
        assert threading.Thread.start is theirs
        in_request(lambda: in_thread(Searching(name="wrapped")))
        assert parents(again) == [ROOT, None]
        assert "wrapped" in calls
        threading.Thread.start = ours  # type: ignore[method-assign]
        again.tracing.shutdown()
    finally:
        left, threading.Thread.start = threading.Thread.start, start  # type: ignore[method-assign]
    assert left is start


class OnlyBound:
    """A wrapped method as instrumentations make it (OpenTelemetry's for threads): it knows its instance by binding."""

    def __init__(self, method: Callable[..., object]) -> None:
        self._method = method
        self.bound: list[object] = []

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Has no instance here."""
        raise AttributeError("'NoneType' object has no attribute '_otel_context'")

    def __get__(self, instance: object, owner: type) -> Callable[..., object]:
        """The method of this instance."""
        if instance is None:
            return self
        self.bound.append(instance)
        return MethodType(self._method, instance)


def test_methods_that_were_instrumented_before_get_their_instance(
    record: Callable[..., Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that instruments its threads and then configures us goes on starting threads."""
    start, submit = OnlyBound(threading.Thread.start), OnlyBound(ThreadPoolExecutor.submit)
    monkeypatch.setattr(threading.Thread, "start", start)
    monkeypatch.setattr(ThreadPoolExecutor, "submit", submit)
    recording = record()
    outside = Searching()
    in_thread(outside)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(search, "outside").result() == ["outside"]
        in_request(lambda: in_thread(Searching()))
        in_request(lambda: pool.submit(search, "inside").result())
    assert parents(recording) == [None, None, ROOT, None, ROOT, None]
    assert outside in start.bound
    assert submit.bound[-2:] == [pool, pool]
    recording.tracing.shutdown()
    assert vars(threading.Thread)["start"] is start
    assert vars(ThreadPoolExecutor)["submit"] is submit


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


def test_nothing_is_replaced_without_a_tracer(caplog: pytest.LogCaptureFixture) -> None:
    """Importing and decorating change nothing in the service; a configure that failed neither."""
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit
    configure(service_name="tests", endpoint="no scheme")
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == (start, submit)
    assert not hasattr(start, "__wrapped__")
