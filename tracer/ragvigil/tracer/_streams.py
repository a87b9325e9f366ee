"""Streamed results: each step runs under the span, and no span stays current across a ``yield``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from functools import partial
from typing import TypeVar, cast

from ragvigil.tracer._calls import Call

Item = TypeVar("Item")
Sent = TypeVar("Sent")
Returned = TypeVar("Returned")


def follow(call: Call, source: Generator[Item, Sent, Returned]) -> Generator[Item, Sent, Returned]:
    """The same stream, traced; the span ends on exhaustion, close, garbage collection or error."""
    step: Callable[[], Item] = source.__next__
    try:
        while True:
            call.enter()
            try:
                item = step()
            finally:
                call.leave()
            call.take(item)
            try:
                sent = yield item
            except GeneratorExit:
                closed = _close(call, source.close)
                call.end_stream(early=True)
                return cast("Returned", closed)
            except BaseException as error:
                step = partial(source.throw, error)
            else:
                step = source.__next__ if sent is None else partial(source.send, sent)
    except StopIteration as stop:
        call.end_stream()
        return cast("Returned", stop.value)
    except BaseException as error:
        call.fail(error)
        raise


async def follow_async(call: Call, source: AsyncGenerator[Item, Sent]) -> AsyncGenerator[Item, Sent]:
    """The same asynchronous stream, traced."""
    step: Callable[[], Awaitable[Item]] = source.__anext__
    try:
        while True:
            item = await _step(call, step)
            call.take(item)
            try:
                sent = yield item
            except GeneratorExit:
                await _step(call, source.aclose)
                call.end_stream(early=True)
                raise  # where no event loop closes it, Python would print what a return becomes
            except BaseException as error:
                step = partial(source.athrow, error)
            else:
                step = source.__anext__ if sent is None else partial(source.asend, sent)
    except StopAsyncIteration:
        call.end_stream()
    except BaseException as error:
        call.fail(error)
        raise


async def _step(call: Call, step: Callable[[], Awaitable[Item]]) -> Item:
    call.enter()
    try:
        item = await step()
    except BaseException as error:
        call.leave(error)
        raise
    call.leave()
    return item


def _close(call: Call, close: Callable[[], object]) -> object:
    call.enter()
    try:
        return close()
    finally:
        call.leave()
