"""Functions that return a future: the span has what came of it, and the service sees the future that it made."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any

import pytest

from ragvigil.tracer import trace_generator, trace_rag, trace_retriever

from .conftest import Recording, documents


@trace_retriever
def search(query: str) -> list[tuple[str, str]]:
    """One passage."""
    return [("p1", query)]


def test_a_future_of_a_pool_is_read_when_it_is_done(recording: Recording) -> None:
    """The same object; what runs in the pool is a part of the call that returned it."""
    made: list[Future[str]] = []
    with ThreadPoolExecutor() as pool:

        def work(question: str) -> str:
            return f"so: {search(question)[0][0]}"

        @trace_rag
        def ask(question: str) -> Future[str]:
            made.append(pool.submit(work, question))
            return made[0]

        given = ask("why")
        assert given is made[0]
        assert given.result(30) == "so: p1"
    retrieval, root = recording.spans()
    assert retrieval["parent"] == "invoke_workflow ask"
    assert root["attributes"]["output.value"] == "so: p1"
    assert "ragvigil.unreadable" not in root["attributes"]


def test_a_future_that_is_done_is_read_at_once(recording: Recording) -> None:
    """As some clients return from their cache."""

    @trace_retriever
    def find(query: str) -> Future[list[tuple[str, str]]]:
        future: Future[list[tuple[str, str]]] = Future()
        future.set_result([("p1", "Ice")])
        return future

    find("why")
    assert documents(recording.attributes()) == [{"id": "p1", "content": "Ice"}]


@pytest.mark.parametrize("kind", ["task", "future", "coroutine function"])
def test_an_asyncio_future_is_read_when_it_is_done(recording: Recording, kind: str) -> None:
    """A task that a plain function starts, a future that somebody fulfils, and one that is awaited for."""

    async def work() -> str:
        await asyncio.sleep(0)
        return "so"

    def task(question: str) -> asyncio.Future[str]:
        return asyncio.ensure_future(work())

    def future(question: str) -> asyncio.Future[str]:
        loop = asyncio.get_running_loop()
        given = loop.create_future()
        loop.call_soon(given.set_result, "so")
        return given

    async def function(question: str) -> asyncio.Future[str]:
        return task(question)

    async def main() -> str:
        if kind == "coroutine function":
            return await (await trace_generator(function)("why"))
        return await trace_generator({"task": task, "future": future}[kind])("why")

    assert asyncio.run(main()) == "so"
    assert '"content":"so"' in str(recording.attributes()["gen_ai.output.messages"])


def test_a_failed_future_fails_the_span_and_is_still_the_services_to_look_at(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """asyncio logs an error that nobody has retrieved; by listening we have not retrieved it."""

    async def work() -> str:
        raise LookupError("no index")

    @trace_rag
    def ask(question: str) -> asyncio.Future[str]:
        return asyncio.ensure_future(work())

    async def main() -> None:
        ask("why")
        for _ in range(3):
            await asyncio.sleep(0)

    asyncio.run(main())
    gc.collect()
    assert recording.span()["status"] == ("ERROR", "LookupError: no index")
    assert [record.getMessage().splitlines()[0] for record in caplog.records] == [
        "Task exception was never retrieved"
    ]


def cancelled_in_pool(ask: Callable[[str, Any], Any]) -> None:
    """Cancel a future that never ran."""
    future: Future[str] = Future()
    ask("why", future)
    assert future.cancel()
    with pytest.raises(CancelledError):
        future.result(30)


def cancelled_in_loop(ask: Callable[[str, Any], Any]) -> None:
    """Cancel a task that waits."""

    async def main() -> None:
        waiting = asyncio.ensure_future(asyncio.sleep(60))
        ask("why", waiting)
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())


@pytest.mark.parametrize("cancelling", [cancelled_in_pool, cancelled_in_loop])
def test_a_cancelled_future_is_an_error(
    recording: Recording, cancelling: Callable[[Callable[[str, Any], Any]], None]
) -> None:
    """By its own name."""

    @trace_rag
    def ask(question: str, given: Any) -> Any:
        return given

    cancelling(ask)
    assert str(recording.attributes()["error.type"]).endswith("CancelledError")


def test_a_future_that_nobody_fulfils_is_recorded_when_it_is_dropped(recording: Recording) -> None:
    """The request was there, and its answer is not known."""

    @trace_rag
    def ask(question: str) -> Future[str]:
        return Future()

    ask("why")
    gc.collect()
    assert recording.attributes()["ragvigil.unreadable"] == ["invoke_workflow: Future was never done"]


def test_a_callback_of_the_services_own_is_called_as_before(recording: Recording) -> None:
    """In its order, and by the thread that fulfils the future."""
    seen: list[str] = []
    future: Future[str] = Future()
    future.add_done_callback(lambda _: seen.append("first"))

    @trace_rag
    def ask(question: str) -> Future[str]:
        return future

    ask("why").add_done_callback(lambda given: seen.append(given.result()))
    future.set_result("so")
    assert seen == ["first", "so"]
    assert recording.attributes()["output.value"] == "so"
