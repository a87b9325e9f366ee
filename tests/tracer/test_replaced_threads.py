"""What is replaced for carrying a request into threads is put back, and does what it did before."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import MethodType

import pytest
from opentelemetry import trace
from opentelemetry.baggage import get_baggage
from opentelemetry.sdk.trace import TracerProvider
from tests.tracer.test_threads import ROOT, Searching, in_request, in_thread, parents, search

from ragvigil.tracer import configure, context, trace_rag
from ragvigil.tracer.testing import captured

from .conftest import Recording


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


def test_nothing_is_replaced_without_a_tracer(caplog: pytest.LogCaptureFixture) -> None:
    """Importing and decorating change nothing in the service; a configure that failed neither."""
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit
    configure(service_name="tests", endpoint="no scheme")
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == (start, submit)
    assert not hasattr(start, "__wrapped__")
