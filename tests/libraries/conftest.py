"""What the tracer records of real libraries' objects, and the servers that these libraries' clients ask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from ragvigil.tracer import trace_generator, trace_retriever
from ragvigil.tracer._notices import notices
from ragvigil.tracer.testing import CapturedDocument, captured
from tests.libraries.vendors import Vendors, serving

ENVIRONMENT = os.environ.get("RAGVIGIL_LIBRARIES")
"""`oldest` or `newest`, as .ci/check-libraries calls its environments."""


@pytest.fixture(autouse=True)
def _clean_slate() -> None:
    notices.forget()


@pytest.fixture(scope="session")
def vendors() -> Iterator[Vendors]:
    """Answers as the vendors' servers do."""
    with serving() as server:
        yield server


def library(name: str) -> Any:
    """The library; the test is skipped where it is not installed, but not where it must be."""
    if ENVIRONMENT:
        return __import__(name, fromlist=["_"])
    return pytest.importorskip(name)


def documents(result: object) -> list[CapturedDocument]:
    """What is recorded of a search's result; all of it must have been read."""

    @trace_retriever
    def search(query: str) -> object:
        return result

    with captured() as rag:
        found = search("When does water boil?")
        if isinstance(found, Iterator):
            for _ in found:
                pass
    assert rag.request.unreadable == ()
    return list(rag.request.documents)


def brief(result: object) -> list[tuple[str | None, float | None, str | None]]:
    """Ids, scores and texts of the documents recorded."""
    return [(each.id, each.score, each.text) for each in documents(result)]


class Answered:
    """The generator's span."""

    def __init__(self, attributes: Any, text: str | None, unreadable: tuple[str, ...]) -> None:
        self.text = text
        self.unreadable = unreadable
        self.model = attributes.get("gen_ai.response.model")
        self.response_id = attributes.get("gen_ai.response.id")
        self.finish = attributes.get("gen_ai.response.finish_reasons")
        self.tokens = (
            attributes.get("gen_ai.usage.input_tokens"),
            attributes.get("gen_ai.usage.output_tokens"),
        )
        self.streamed = attributes.get("gen_ai.request.stream", False)


class Recorder:
    """Runs a function as a generator, and reads what was recorded of it."""

    def __init__(self) -> None:
        self.traced = trace_generator(query="question")

    def __call__(self, make: Any, consume: Any = None) -> Answered:
        """Record what `make` returns; `consume` reads a stream as a service would."""

        @self.traced
        def write(question: str) -> Any:
            return make()

        with captured() as rag:
            given = write("When does water boil?")
            if consume is not None:
                consume(given)
            del given
        return self._of(rag)

    async def later(self, make: Any, consume: Any = None) -> Answered:
        """The same of a coroutine function."""

        @self.traced
        async def write(question: str) -> Any:
            given = make()
            return await given if hasattr(given, "__await__") else given

        with captured() as rag:
            given = await write("When does water boil?")
            if consume is not None:
                await consume(given)
            del given
        return self._of(rag)

    def _of(self, rag: Any) -> Answered:
        request = rag.request
        (span,) = request.spans
        return Answered(span.attributes, request.answer, request.unreadable)


@pytest.fixture
def recorded() -> Recorder:
    """Reads back what the tracer made of an answer."""
    return Recorder()
