"""Streams of every kind: generator functions stay what they are, stream objects stay themselves."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import Generic, TypeVar

import pytest
from opentelemetry import trace

from ragvigil.tracer import _iterators, trace_generator, trace_rag, trace_retriever

from .conftest import Recording, documents

Item = TypeVar("Item")
PIECES = ["At ", "100 ", "°C"]


def answer(attributes: dict[str, object]) -> str:
    """The answer as recorded."""
    return str(attributes["gen_ai.output.messages"]).partition('"content":"')[2].partition('"')[0]


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
