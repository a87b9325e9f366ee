"""Streams of every kind: generator functions stay what they are, stream objects stay themselves."""

from __future__ import annotations

import asyncio
import copy
import gc
import inspect
import pickle
import threading
import typing
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from functools import partial
from types import FunctionType, TracebackType
from typing import Generic, TypeVar

import pytest
from opentelemetry import trace

from ragvigil.tracer import _iterators, trace_generator, trace_rag, trace_retriever

from .conftest import Recording, documents

Item = TypeVar("Item")
PIECES = ["At ", "100 ", "°C"]


@trace_generator(model="m")
def write(question: str, *, times: int = 1) -> Generator[str, str | None, str]:
    """Writes in pieces."""
    yield from PIECES * times
    return "the end"


@trace_generator
async def write_async(question: str) -> AsyncGenerator[str, None]:
    """Writes in pieces, later."""
    for piece in PIECES:
        await asyncio.sleep(0)
        yield piece


class Writer:
    """A service's class."""

    @trace_generator
    def write(self, question: str) -> Iterator[str]:
        """A generator method."""
        yield from PIECES

    @classmethod
    @trace_generator
    def write_class(cls, question: str) -> Iterator[str]:
        """A generator classmethod."""
        yield cls.__name__

    @trace_generator
    @staticmethod
    def write_static(question: str) -> Iterator[str]:
        """A generator staticmethod."""
        yield from PIECES


def answer(attributes: dict[str, object]) -> str:
    """The answer as recorded."""
    return str(attributes["gen_ai.output.messages"]).partition('"content":"')[2].partition('"')[0]


def test_a_decorated_generator_function_is_one_to_whoever_asks() -> None:
    """Gradio, FastAPI, Starlette and others look before they stream."""
    for function in (
        write,
        Writer.write,
        Writer().write,
        Writer.write_class,
        Writer().write_static,
        partial(write),
    ):
        assert inspect.isgeneratorfunction(function), function
        assert not inspect.iscoroutinefunction(function)
    assert inspect.isasyncgenfunction(write_async)
    assert not inspect.isgeneratorfunction(write_async)
    assert inspect.isgeneratorfunction(trace_generator(partial(_plain, "why")))
    assert inspect.isfunction(write)
    assert isinstance(write, FunctionType)
    assert inspect.ismethod(Writer().write)


def _plain(question: str) -> Iterator[str]:
    yield from PIECES


def test_it_keeps_what_a_function_has() -> None:
    """Signature, hints, defaults, pickling by name, copying, attributes of its own."""
    assert str(inspect.signature(write)).startswith("(question: 'str', *, times: 'int' = 1)")
    assert typing.get_type_hints(write)["question"] is str
    assert (write.__name__, write.__doc__, write.__module__) == ("write", "Writes in pieces.", __name__)
    assert write.__kwdefaults__ == {"times": 1}
    assert "def write(" in inspect.getsource(write)
    assert pickle.loads(pickle.dumps(write)) is write
    assert copy.deepcopy(write) is write
    assert repr(write).startswith("<function write")
    vars(write)["tag"] = "kept"
    assert vars(write).pop("tag") == "kept"
    with pytest.raises(AttributeError, match="no_such"):
        _ = write.no_such  # pyright: ignore[reportFunctionMemberAccess] - the mistake under test


def test_methods_get_their_instance_and_class(recording: Recording) -> None:
    """A generator method is bound like any other."""
    assert list(Writer().write("why")) == PIECES
    assert list(Writer.write_class("why")) == ["Writer"]
    assert list(Writer.write_static("why")) == PIECES
    assert [span["attributes"]["gen_ai.request.stream"] for span in recording.spans()] == [True] * 3


def test_a_stream_never_started_is_no_span_and_leaves_nothing(recording: Recording) -> None:
    """A generator's body that never ran has asked no model; what would be recorded never happened."""
    before = len(gc.get_objects())
    for _ in range(100):
        write("why")
        write("why").close()
        write_async("why")
    gc.collect()
    assert recording.spans() == []
    assert len(gc.get_objects()) - before < 100


@pytest.mark.parametrize("hooked", [True, False])
def test_a_stream_that_outlives_its_event_loop_ends_with_what_was_produced(
    recording: Recording, hooked: bool
) -> None:
    """Nobody can close it any more: Python drops it, without running it where the loop was told of it."""
    loop = asyncio.new_event_loop()
    stream = write_async("why")

    async def first(given: AsyncGenerator[str, None]) -> str:
        return await anext(given)

    assert loop.run_until_complete(first(stream) if hooked else anext(stream)) == "At "
    loop.close()
    assert recording.spans() == []
    del stream
    gc.collect()
    attributes = recording.attributes()
    assert answer(attributes) == "At "
    assert attributes["ragvigil.stream.closed_early"] is True


def test_a_stream_read_after_its_request_returned_is_a_part_of_it(recording: Recording) -> None:
    """A web framework reads the body after the endpoint has returned it."""

    @trace_rag
    def ask(question: str) -> dict[str, Iterator[str]]:
        return {"body": write(question)}

    assert list(ask("why")["body"]) == PIECES
    root, chat = recording.spans()
    assert (root["name"], chat["parent"]) == ("invoke_workflow ask", "invoke_workflow ask")
    assert answer(chat["attributes"]) == "At 100 °C"


class Stream(Generic[Item]):
    """As model vendors make them: an iterator with a response, a close and a ``with`` block."""

    def __init__(self, pieces: list[Item], *, fail: BaseException | None = None) -> None:
        self.response = "200 OK"
        self.closed = 0
        self._fail = fail
        self._iterator = iter(pieces)

    def __next__(self) -> Item:
        assert trace.get_current_span().get_span_context().is_valid
        try:
            return next(self._iterator)
        except StopIteration:
            if self._fail is not None:
                raise self._fail from None
            raise

    def __iter__(self) -> Iterator[Item]:
        """Another iterator than itself, as OpenAI's."""
        yield from self._iterator

    def __enter__(self) -> Stream[Item]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> str:
        """Close the response."""
        self.closed += 1
        return "closed"

    @property
    def texts(self) -> Iterator[Item]:
        """A method of its own that reads it."""
        while True:
            try:
                yield next(self)
            except StopIteration:
                return


class SelfStream(Stream[Item]):
    """One that is its own iterator."""

    def __iter__(self) -> Iterator[Item]:
        return self


class SlottedStream:
    """One without room for attributes."""

    __slots__ = ("__weakref__", "left")

    def __init__(self) -> None:
        self.left = list(reversed(PIECES))

    def __iter__(self) -> SlottedStream:
        return self

    def __next__(self) -> str:
        if not self.left:
            raise StopIteration
        return self.left.pop()


class AsyncStream:
    """As model vendors make them for asyncio."""

    def __init__(self) -> None:
        self.left = list(reversed(PIECES))
        self.closed = False

    def __aiter__(self) -> AsyncIterator[str]:
        return self._read()

    async def _read(self) -> AsyncIterator[str]:
        while self.left:
            yield await self.__anext__()

    async def __anext__(self) -> str:
        await asyncio.sleep(0)
        if not self.left:
            raise StopAsyncIteration
        return self.left.pop()

    async def close(self) -> None:
        """Close the response."""
        await asyncio.sleep(0)
        self.closed = True

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


def opened(stream: Item) -> Item:
    """The stream, returned by a traced generator."""

    @trace_generator
    def complete(question: str) -> Item:
        return stream

    return complete("why")


def _first_by_hand(stream: Stream[str]) -> list[str]:
    return [next(stream), *stream]


def _by_its_own_method(stream: Stream[str]) -> list[str]:
    return list(stream.texts)


def _entered(stream: Stream[str]) -> list[str]:
    return list(stream.__enter__())


@pytest.mark.parametrize("kind", [Stream, SelfStream])
@pytest.mark.parametrize("read", [list, _first_by_hand, _by_its_own_method, _entered])
def test_a_stream_object_is_covered_to_its_end_and_stays_itself(
    recording: Recording, kind: type[Stream[str]], read: Callable[[Stream[str]], list[str]]
) -> None:
    """However it is read, each piece counts once; afterwards nothing of us is left on it."""
    stream = kind(PIECES)
    given = opened(stream)
    assert given is stream
    assert isinstance(given, kind)
    assert given.__class__ is kind
    assert type(given).__name__ == kind.__name__
    assert vars(given).keys() == {"response", "closed", "_fail", "_iterator"}
    assert recording.spans() == []
    assert read(given) == PIECES
    attributes = recording.attributes()
    assert answer(attributes) == "At 100 °C"
    assert attributes["gen_ai.request.stream"] is True
    assert "gen_ai.response.time_to_first_chunk" in attributes
    assert "ragvigil.stream.closed_early" not in attributes
    assert type(given) is kind
    assert given.close() == "closed"
    assert _iterators._watched == {}  # pyright: ignore[reportPrivateUsage] - a leak shows nowhere else


@pytest.mark.parametrize("leave", ["close", "with", "forget", "error"])
def test_leaving_a_stream_object_early_ends_the_span(recording: Recording, leave: str) -> None:
    """With what was read; methods and errors are the stream's own."""
    stream = opened(Stream(PIECES, fail=ConnectionError("reset") if leave == "error" else None))
    if leave == "with":
        with stream as entered:
            assert entered is stream
            assert next(stream) == "At "
        assert stream.closed == 1
    elif leave == "error":
        with pytest.raises(ConnectionError):
            list(stream.texts)
    else:
        assert next(stream) == "At "
        assert leave == "forget" or stream.close() == "closed"
    del stream
    gc.collect()
    attributes = recording.attributes()
    assert answer(attributes) == ("At 100 °C" if leave == "error" else "At ")
    assert attributes.get("ragvigil.stream.closed_early") is (None if leave == "error" else True)
    assert attributes.get("error.type") == ("ConnectionError" if leave == "error" else None)


def test_a_stream_object_that_nobody_read_says_so(recording: Recording) -> None:
    """The model was asked, unlike by a generator that never ran."""
    opened(Stream(PIECES)).close()
    attributes = recording.attributes()
    assert attributes["ragvigil.unreadable"] == ["stream: Stream"]
    assert attributes["ragvigil.stream.closed_early"] is True


def test_a_slotted_stream_and_built_in_iterators_are_covered(recording: Recording) -> None:
    """A built-in iterator has no class to extend; it comes back as a generator of the same pieces."""
    assert list(opened(SlottedStream())) == PIECES
    assert list(opened(map(str.upper, PIECES))) == ["AT ", "100 ", "°C"]
    assert next(opened(iter(PIECES))) == "At "
    assert [answer(span["attributes"]) for span in recording.spans()] == ["At 100 °C", "AT 100 °C", "At "]


def test_a_retrievers_iterator_is_read_as_the_service_reads_it(recording: Recording) -> None:
    """Never before: reading it would take the documents from the service."""

    @trace_retriever
    def search(query: str) -> Iterator[str]:
        return iter(["a", "b"])

    found = search("why")
    assert recording.spans() == []
    assert list(found) == ["a", "b"]
    assert documents(recording.attributes()) == [{"content": "a"}, {"content": "b"}]


def test_one_stream_through_two_traced_functions_ends_both(recording: Recording) -> None:
    """The root returns what the generator returned."""

    @trace_generator
    def complete(question: str) -> Stream[str]:
        return Stream(PIECES)

    @trace_rag
    def ask(question: str) -> Stream[str]:
        return complete(question)

    assert list(ask("why")) == PIECES
    chat, root = recording.spans()
    assert (chat["parent"], root["parent"]) == ("invoke_workflow ask", None)
    assert root["attributes"]["output.value"] == "At 100 °C"
    assert answer(chat["attributes"]) == "At 100 °C"


@pytest.mark.parametrize("leave", ["end", "close", "with", "cancel"])
async def test_an_asynchronous_stream_object_is_covered(
    recording: Recording, caplog: pytest.LogCaptureFixture, leave: str
) -> None:
    """To its end, its close, the end of its block, or the cancellation of its reader."""
    stream = opened(AsyncStream())
    assert isinstance(stream, AsyncStream)
    if leave == "end":
        assert [piece async for piece in stream] == PIECES
    elif leave == "with":
        async with stream as entered:
            assert await entered.__anext__() == "At "
        assert stream.closed
    else:
        assert await stream.__anext__() == "At "
        if leave == "close":
            await asyncio.create_task(stream.close())
        else:
            reading = asyncio.create_task(_read_on(stream))
            await asyncio.sleep(0)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
    attributes = recording.attributes()
    assert answer(attributes) == ("At 100 °C" if leave == "end" else "At ")
    assert attributes.get("error.type") == (
        "asyncio.exceptions.CancelledError" if leave == "cancel" else None
    )
    assert type(stream) is AsyncStream
    assert caplog.records == []


async def _read_on(stream: AsyncStream) -> None:
    await stream.__anext__()


def test_a_class_that_would_notice_is_left_alone(recording: Recording) -> None:
    """A registry of subclasses must not learn of ours; the span ends when the stream is returned, and says so."""
    known: list[type] = []

    class Registered:
        def __init_subclass__(cls) -> None:
            known.append(cls)

        def __iter__(self) -> Registered:
            return self

        def __next__(self) -> str:
            raise StopIteration

    stream = Registered()
    assert opened(stream) is stream
    assert type(stream) is Registered
    assert known == []
    assert recording.attributes()["ragvigil.unreadable"] == ["answer: Registered"]


def test_a_stream_object_may_be_read_by_another_thread(recording: Recording) -> None:
    """And its span never becomes that thread's current one between two pieces."""
    stream = opened(SelfStream(PIECES))
    seen: list[tuple[str, bool]] = []

    def read() -> None:
        seen.extend((piece, trace.get_current_span().get_span_context().is_valid) for piece in stream)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    assert seen == [(piece, False) for piece in PIECES]
    assert answer(recording.attributes()) == "At 100 °C"


def test_the_span_of_a_stream_names_the_pieces_that_could_not_be_read(recording: Recording) -> None:
    """With the text of the others."""

    @trace_generator
    def generate(question: str) -> Iterator[object]:
        yield "a"
        yield object()
        yield {"text": "b", "usage": {"output_tokens": -1}}

    list(generate("q"))
    attributes = recording.attributes()
    assert '"content":"ab"' in str(attributes["gen_ai.output.messages"])
    assert attributes["ragvigil.unreadable"] == ["usage: int", "answer: object"]
