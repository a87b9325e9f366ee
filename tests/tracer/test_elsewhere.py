"""A block that ends in another context than it began in: no noise in the service's log, and nothing lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import copy_context
from typing import Annotated

import httpx
import pytest
from fastapi import Depends, FastAPI

from ragvigil.tracer import context, current_trace_id, rag_span, trace_retriever
from ragvigil.tracer._blocks import Block

from .conftest import Recording


@trace_retriever
def search(query: str) -> list[str]:
    """One passage."""
    return ["Ice"]


def test_blocks_entered_and_left_in_different_contexts_log_nothing(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """Each step of a threadpool has a copy of the context of its own."""
    block, facts = rag_span("why"), context(language="pt")
    for one in (block, facts):
        copy_context().run(one.__enter__)
        copy_context().run(one.__exit__, None, None, None)
    assert [span["name"] for span in recording.spans()] == ["invoke_workflow request"]
    assert current_trace_id() is None
    assert caplog.record_tuples == []


def asked_by(application: FastAPI) -> str:
    """What the application answers, with its handlers in threads."""

    async def ask() -> str:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return (await client.get("/ask")).text

    return asyncio.run(ask())


def of_block() -> Iterator[Block]:
    """A dependency that FastAPI enters and leaves in its threads."""
    with rag_span("why") as block:
        yield block


def of_facts() -> Iterator[None]:
    """The same around the request."""
    with context(conversation_id="c-1"):
        yield


async def of_facts_here() -> AsyncIterator[None]:
    """A dependency that runs where the request does, so that its facts reach it."""
    with context(conversation_id="c-1"):
        yield


@pytest.mark.parametrize("facts", [of_facts, of_facts_here])
def test_a_dependency_of_fastapi_may_hold_a_block(
    recording: Recording, caplog: pytest.LogCaptureFixture, facts: Callable[..., object]
) -> None:
    """FastAPI leaves a synchronous dependency in another context than it entered it."""
    application = FastAPI(dependencies=[Depends(facts)])

    def ask(block: Annotated[Block, Depends(of_block)]) -> str:
        search("why")
        block.result("Because of ice.")
        return "so"

    ask.__annotations__["block"] = Annotated[Block, Depends(of_block)]
    application.get("/ask")(ask)
    caplog.set_level(logging.WARNING)
    assert asked_by(application) == '"so"'
    spans = {span["name"]: span["attributes"] for span in recording.spans()}
    assert spans["invoke_workflow request"]["output.value"] == "Because of ice."
    reached = spans["retrieval"].get("gen_ai.conversation.id")
    assert reached == (None if facts is of_facts else "c-1")
    assert caplog.record_tuples == []


def test_an_asynchronous_generator_with_a_block_may_be_finished_by_another_task(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """Closed or read to its end elsewhere."""

    async def dependency() -> AsyncIterator[Block]:
        with rag_span("why") as block:
            yield block

    async def run() -> None:
        for finish in ("aclose", "__anext__"):
            held = dependency()

            async def step(name: str) -> None:
                try:
                    await getattr(held, name)()  # noqa: B023 - awaited before the next turn
                except StopAsyncIteration:
                    return

            await asyncio.create_task(step("__anext__"))
            await asyncio.create_task(step(finish))

    asyncio.run(run())
    assert len(recording.spans()) == 2
    assert caplog.record_tuples == []


def test_a_block_used_again_starts_afresh_and_one_inside_of_itself_leaves_nothing_current(
    recording: Recording,
) -> None:
    """Each ``with`` is a call of its own; what it left around it is current again after it."""
    block = rag_span("why")
    with block:
        block.result("one")
    first = block.trace_id
    with block:
        with block:
            block.result("inner")
        inside = current_trace_id()
        assert block.trace_id == inside
    assert current_trace_id() is None
    assert block.trace_id == inside != first
    answers = [span["attributes"].get("output.value") for span in recording.spans()]
    assert answers == ["one", "inner", None]


def test_facts_around_facts_of_the_same_call_end_with_their_blocks() -> None:
    """A context block inside of itself leaves nothing behind."""
    facts, before = context(language="pt"), copy_context()
    with facts, facts:
        pass
    assert {variable: value for variable, value in copy_context().items() if variable in before} == dict(
        before
    )
