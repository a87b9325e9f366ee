"""Generator functions: decorated, they stay what they are."""

from __future__ import annotations

import asyncio
import copy
import gc
import inspect
import pickle
import typing
from collections.abc import AsyncGenerator, Generator, Iterator
from functools import partial
from types import FunctionType

import pytest
from tests.tracer.test_streams import PIECES, answer

from ragvigil.tracer import trace_generator, trace_rag

from .conftest import Recording


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
