"""Callables that are no plain functions: decorated, they stay what they are to the service."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
from collections.abc import Callable, Generator
from functools import cached_property, lru_cache, partial
from types import coroutine
from typing import Any

import pytest

from ragvigil.tracer import trace_generator, trace_rag, trace_retriever

from .conftest import Recording, documents


class Index:
    """A search that is an object, with settings and methods of its own."""

    def __init__(self) -> None:
        self.top_k = 2

    def __call__(self, query: str) -> list[str]:
        """Search."""
        return [f"{query} {rank}" for rank in range(self.top_k)]

    def size(self) -> int:
        """Not a call of the search."""
        return 7


class LaterIndex:
    """The same, asynchronous."""

    async def __call__(self, query: str) -> list[str]:
        """Search."""
        await asyncio.sleep(0)
        return [query]


def find(index: str, query: str, top_k: int = 1) -> list[str]:
    """A search with a parameter to bind."""
    return [f"{index}: {query}"] * top_k


traced_index: Any = trace_retriever(Index())
traced_partial: Any = trace_retriever(partial(find, "manual"))


class Service:
    """Keeps its parts on the class: callables that are no functions do not take the instance."""

    by_object: Any = trace_retriever(Index())
    by_partial: Any = trace_retriever(partial(find, "manual"))
    by_bound: Any = trace_retriever(Index().__call__)

    @trace_retriever
    @lru_cache  # noqa: B019 - as services do
    def cached(self, query: str) -> tuple[str, ...]:
        """A cache does take the instance."""
        return (query, type(self).__name__)


@pytest.mark.filterwarnings("ignore:functools.partial will be a method descriptor:FutureWarning")
@pytest.mark.parametrize("name", ["by_object", "by_partial", "by_bound"])
def test_a_callable_on_a_class_is_not_given_the_instance(recording: Recording, name: str) -> None:
    """It was none of the instance's methods before it was decorated."""
    assert getattr(Service(), name)("why?") == getattr(Service, name)("why?")
    assert [span["attributes"]["gen_ai.retrieval.query.text"] for span in recording.spans()] == ["why?"] * 2


def test_a_cached_method_is_bound_and_keeps_its_cache(recording: Recording) -> None:
    """``cache_clear`` and ``cache_info`` are what services call on it."""
    service = Service()
    assert service.cached("why?") == service.cached("why?") == ("why?", "Service")
    cached: Any = Service.cached
    assert cached.cache_info().hits == 1
    cached.cache_clear()
    assert cached.cache_info().currsize == 0
    assert len(recording.spans()) == 2


def test_an_object_keeps_its_class_methods_and_settings(recording: Recording) -> None:
    """What is set on it reaches the object."""
    searching: Any = trace_retriever(Index())
    assert isinstance(searching, Index)
    assert searching.size() == 7
    searching.top_k = 3
    assert len(searching("why?")) == 3
    del searching.top_k
    with pytest.raises(AttributeError, match="top_k"):
        searching("why?")
    assert len(documents(recording.spans()[0]["attributes"])) == 3


def _pickled(given: object) -> object:
    return pickle.loads(pickle.dumps(given))


CLONES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, _pickled]


@pytest.mark.parametrize("clone", CLONES)
@pytest.mark.parametrize("given", [traced_index, traced_partial])
def test_copies_and_pickles_work_and_are_traced(
    recording: Recording, given: Any, clone: Callable[[Any], Any]
) -> None:
    """A process pool pickles what it is given."""
    assert clone(given)("why?") == given("why?")
    assert len(recording.spans()) == 2


async def test_an_asynchronous_object_is_seen_as_one(recording: Recording) -> None:
    """Starlette asks ``iscoroutinefunction(endpoint.__call__)`` and else runs it in a thread."""
    later: Any = trace_retriever(LaterIndex())
    assert inspect.iscoroutinefunction(later.__call__)
    assert await later("why?") == ["why?"]
    assert inspect.iscoroutinefunction(trace_retriever(partial(LaterIndex().__call__)))
    assert recording.attributes()["gen_ai.retrieval.query.text"] == "why?"


async def test_a_generator_based_coroutine_is_still_awaited(recording: Recording) -> None:
    """``types.coroutine`` makes generators that ``await`` takes, as it takes no other."""

    @trace_retriever
    @coroutine
    def search(query: str) -> Generator[Any, Any, list[str]]:
        yield from asyncio.sleep(0).__await__()
        return [query]

    assert await search("why?") == ["why?"]
    assert documents(recording.attributes()) == [{"content": "why?"}]


def test_a_question_bound_by_position_is_found(recording: Recording) -> None:
    """The signature of a partial no longer has the parameters that it gives by position."""
    trace_retriever(partial(find, "manual", "why?"))()
    trace_retriever(
        partial(find, "manual", "why?"),
    )(2)
    trace_retriever(partial(find, "manual"))("how?", 1)
    trace_retriever(partial(find, query="who?"))("manual")
    found = [span["attributes"]["gen_ai.retrieval.query.text"] for span in recording.spans()]
    assert found == ["why?", "why?", "how?", "who?"]


def test_what_is_not_called_is_left_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    """A property under a decorator must stay a property."""
    misused: Any = trace_generator
    with_options: Any = trace_rag(name="answer")

    class Page:
        answer = misused(property(lambda page: type(page).__name__))
        again = with_options(cached_property(lambda page: type(page).__name__))

    assert Page().answer == Page().again == "Page"
    assert "only what is called can be traced: a property was left as it is" in caplog.text
