"""A service in trouble: broken environment, pre-fork workers, exit with a dead scorer, results of any size."""

from __future__ import annotations

import itertools
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import pytest

from ragvigil.tracer import configure, trace_generator, trace_rag, trace_reranker, trace_retriever

from .conftest import Receiver, Recording, documents
from .test_exit_and_fork import run


def refuse(self: object, *_: object) -> NoReturn:
    """Fail, whatever is asked."""
    raise RuntimeError("not today")


BITING = ("__len__", "__iter__", "__getitem__", "__contains__", "__bool__", "__int__", "__float__", "__index__",
          "__str__", "__repr__", "__hash__", "__eq__", "__getattr__", "__getattribute__", "__next__", "__anext__",
          "__class_getitem__", "__instancecheck__")  # fmt: skip


BASES = (object, str, dict, list, tuple, int, float, Exception)


@pytest.mark.parametrize("decorate", [trace_rag, trace_retriever, trace_reranker, trace_generator])
def test_objects_whose_methods_raise_pass_through(
    recording: Recording, decorate: Callable[[Any], Any]
) -> None:
    """Subclasses of anything, each with one method that bites: as argument, as document, as result."""

    @decorate
    def echo(query: object, documents: object) -> object:
        return documents

    cases = list(itertools.product(BASES, BITING))
    for base, name in cases:
        biting = type("Biting", (base,), {name: refuse})()
        listed = [biting, {"id": biting, "text": biting, "metadata": {"k": biting}}, (biting, biting)]
        same = (echo(biting, biting) is biting, echo(biting, listed) is listed)
        assert same == (True, True), f"{base.__name__} with {name}"
    assert len(recording.spans()) == 2 * len(cases)


@pytest.mark.parametrize("decorate", [trace_rag, trace_retriever, trace_reranker, trace_generator])
def test_an_object_that_would_end_the_process_does_not_through_us(
    recording: Recording, decorate: Callable[[Any], Any]
) -> None:
    """``sys.exit`` in a method that only we call is no exit of the service."""

    class Leaving(dict[str, str]):
        def get(self, *_: object) -> NoReturn:
            sys.exit("gone")

    @decorate
    def echo(query: object, documents: object) -> object:
        return documents

    leaving = Leaving(text="Ice")
    listed = [leaving]
    assert echo(leaving, leaving) is leaving
    assert echo("why", listed) is listed
    first, _ = recording.spans()
    assert "SystemExit" in str(first["attributes"]["ragvigil.unreadable"])


@pytest.mark.parametrize(
    "huge",
    [10**5000, -(10**5000), 2**63, [10**5000] * 3, {"score": 10**400, "id": 10**5000}],
    ids=["huge", "negative", "just too large", "list", "mapping"],
)
def test_huge_numbers_are_no_attributes(recording: Recording, huge: object) -> None:
    """OTLP holds 64 bits, and Python prints no more than 4,300 digits."""

    @trace_rag(user_id="who", conversation_id="who")
    def ask(question: object, who: object, top_k: object) -> object:
        return {"answer": "so", "usage": {"input_tokens": huge}, "id": huge}

    @trace_retriever
    def search(query: object, top_k: object) -> object:
        return [{"id": huge, "text": "t", "score": huge, "metadata": {"n": huge}}]

    ask("why", huge, huge)
    search("why", top_k=huge)
    answered, found = (span["attributes"] for span in recording.spans())
    assert answered["output.value"] == "so"
    assert documents(found)[0]["content"] == "t"


def test_a_hundred_thousand_documents_of_every_kind_cost_little(recording: Recording) -> None:
    """As result, as argument, streamed: none is looked at beyond the hundredth."""
    looked: list[int] = []

    class Document:
        def __init__(self, number: int) -> None:
            self.number = number

        @property
        def text(self) -> str:
            looked.append(self.number)
            return str(self.number)

    many = [Document(number) for number in range(100_000)]

    @trace_reranker
    def rerank(query: str, documents: list[Document]) -> list[Document]:
        return documents

    @trace_retriever
    def stream(query: str) -> Iterator[Document]:
        yield from many

    assert rerank("why", many) is many
    assert sum(1 for _ in stream("why")) == 100_000
    assert max(looked) == 99
    for span in recording.spans():
        assert span["attributes"]["ragvigil.documents.total"] == 100_000
        assert len(documents(span["attributes"])) == 100


MISCONFIGURED: tuple[dict[str, str], ...] = (
    {"OTEL_EXPORTER_OTLP_ENDPOINT": "no scheme"},
    {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "::::"},
    {"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"},
    {"OTEL_EXPORTER_OTLP_HEADERS": "=;,,broken"},
    {"OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere/ca.pem"},
    {"OTEL_EXPORTER_OTLP_COMPRESSION": "middle-out"},
    {"OTEL_RESOURCE_ATTRIBUTES": "a,b=,%%%=x"},
    {"OTEL_ATTRIBUTE_COUNT_LIMIT": "many"},
    {"OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT": "-3"},
    {"OTEL_TRACES_SAMPLER": "sometimes", "OTEL_TRACES_SAMPLER_ARG": "x"},
    {"OTEL_PROPAGATORS": "tracecontext,baggage", "OTEL_BSP_SCHEDULE_DELAY": "x"},
    {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "perhaps"},
    {"RAGVIGIL_DISABLED": "perhaps"},
)


def test_a_misconfigured_environment_changes_no_result(tmp_path: Path) -> None:
    """And is said in a few lines at most, each time the process starts.

    Each environment has a process that imports OpenTelemetry afresh, forked from one that has done the rest.
    """
    done = run(
        """
        import json, os, sys
        import google.protobuf.message, requests

        def serve():
            from ragvigil.tracer import configure, trace_rag
            tracing = configure(service_name="shop")

            @trace_rag
            def ask(question):
                return question.upper()

            print([ask("why") for _ in range(3)], flush=True)
            tracing.shutdown(timeout_seconds=0.3)

        assert not any(name.startswith("opentelemetry") for name in sys.modules)
        children = []
        for number, variables in enumerate(json.loads(os.environ["CASES"])):
            if (child := os.fork()) == 0:
                os.environ |= variables
                for stream, name in ((1, "out"), (2, "err")):
                    opened = os.open(f"{os.environ['TMP']}/{number}.{name}", os.O_CREAT | os.O_WRONLY)
                    os.dup2(opened, stream)
                serve()
                sys.exit(0)
            children.append(child)
        codes = [os.waitpid(child, 0)[1] for child in children]
        assert not any(codes), codes
        """,
        CASES=json.dumps(MISCONFIGURED),
        TMP=str(tmp_path),
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9",
    )
    said = {number: (tmp_path / f"{number}.err").read_text() for number in range(len(MISCONFIGURED))}
    assert (done.returncode, done.stderr) == (0, ""), said
    for number, variables in enumerate(MISCONFIGURED):
        assert (tmp_path / f"{number}.out").read_text() == "['WHY', 'WHY', 'WHY']\n", variables
        assert "Traceback" not in said[number]
        assert len(said[number].splitlines()) <= 3, (variables, said[number])


def test_workers_forked_while_threads_trace_all_deliver(receiver: Receiver) -> None:
    """Pre-fork, as gunicorn with preload: decorated and configured in the master, which traces while it forks."""
    done = run(
        """
        import os, threading
        from ragvigil.tracer import configure, trace_rag, trace_retriever
        tracing = configure(service_name="prefork")

        @trace_retriever
        def search(query):
            return [query]

        @trace_rag
        def ask(question):
            return search(question)[0]

        stop = threading.Event()
        def busy():
            while not stop.wait(0.0005):
                ask("master")

        threads = [threading.Thread(target=busy) for _ in range(3)]
        for thread in threads:
            thread.start()
        children = []
        for number in range(6):
            child = os.fork()
            if child == 0:
                for _ in range(5):
                    assert ask(f"worker {number}") == f"worker {number}"
                os._exit(0 if tracing.shutdown(timeout_seconds=10) else 1)
            children.append(child)
        codes = [os.waitpid(child, 0)[1] for child in children]
        stop.set()
        for thread in threads:
            thread.join()
        tracing.shutdown()
        assert codes == [0] * 6, codes
        """,
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
        PYTHONWARNINGS="ignore::DeprecationWarning",
    )
    assert (done.returncode, done.stderr) == (0, "")
    asked = [
        entry.value.string_value
        for span in receiver.spans()
        for entry in span.attributes
        if entry.key == "input.value"
    ]
    assert {number: asked.count(f"worker {number}") for number in range(6)} == dict.fromkeys(range(6), 5)
    assert len({span.span_id for span in receiver.spans()}) == len(receiver.spans())


def test_a_child_forked_amid_instrumented_spans_goes_on() -> None:
    """Whatever other threads held while it was forked, the child makes spans and switches libraries on and off."""
    done = run(
        """
        import os, signal, threading
        from opentelemetry.sdk.trace import TracerProvider
        from ragvigil.tracer import configure, instrument, uninstrument
        from ragvigil.tracer._foreign import Forwarding
        from ragvigil.tracer._instrumenting import _switches

        tracing = configure(service_name="prefork", exit_seconds=0)
        forwarding = Forwarding()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(forwarding)
        held, done = threading.Event(), threading.Event()

        def hold():
            with forwarding._lock, _switches._lock:
                held.set()
                done.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        if (child := os.fork()) == 0:
            signal.alarm(10)  # ends it by a signal where it hangs
            provider.get_tracer("library").start_span("call").end()
            instrument(libraries=())
            uninstrument()
            os._exit(0)
        code = os.waitpid(child, 0)[1]
        done.set()
        thread.join()
        assert code == 0, code
        """,
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9",
        PYTHONWARNINGS="ignore::DeprecationWarning",
    )
    assert (done.returncode, done.stderr) == (0, "")


LAST_WORDS = """
    import sys, threading, time
    from ragvigil.tracer import configure, trace_generator, trace_rag
    tracing = configure(service_name="shop")

    @trace_rag
    def ask(question):
        return "so"

    @trace_generator
    def write(question):
        yield "a"
        yield "b"

    def on():
        while True:
            ask("why")
            time.sleep(0.001)

    for _ in range(4500):
        ask("why")
"""
ENDINGS = {
    "returns": (0, ""),
    "raises": (7, "raise SystemExit(7)"),
    "exits": (7, "sys.exit(7)"),
    "daemon thread traces on": (0, "threading.Thread(target=on, daemon=True).start()"),
    "stream left open": (0, "left_open = write('why'); next(left_open)"),
}


def test_the_interpreter_ends_with_a_full_queue_and_a_silent_scorer() -> None:
    """The exit code is the service's own, it ends, and the log has one line of ours; all endings at once."""
    with socket.socket() as silent, ThreadPoolExecutor() as pool:
        silent.bind(("127.0.0.1", 0))
        silent.listen(16)
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        ending = {
            way: pool.submit(run, f"{LAST_WORDS}\n    {end}", OTEL_EXPORTER_OTLP_ENDPOINT=endpoint)
            for way, (_, end) in ENDINGS.items()
        }
        ended = {way: future.result() for way, future in ending.items()}
    for way, done in ended.items():
        assert done.returncode == ENDINGS[way][0], (way, done.stderr)
        assert "Traceback" not in done.stderr, way
        assert len(done.stderr.splitlines()) <= 2, (way, done.stderr)


def test_a_full_log_and_a_closed_stderr_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our one line a minute may be impossible to write."""
    monkeypatch.setattr(sys, "stderr", None)
    assert configure(service_name="x", endpoint="no scheme").flush()
    assert threading.active_count() >= 1
