"""Wraps any kind of function, so that each call of it is a span and nothing else changes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator
from types import AsyncGeneratorType, CoroutineType, FunctionType, GeneratorType
from typing import Any, ParamSpec, TypeVar, cast

from ragvigil.tracer._calls import Call, begin
from ragvigil.tracer._functions import AsyncStandIn, StandIn, calls_coroutine
from ragvigil.tracer._futures import follow_future, is_future
from ragvigil.tracer._holders import hold
from ragvigil.tracer._iterators import BUILT_IN, is_stream, watch
from ragvigil.tracer._roles import Role
from ragvigil.tracer._streams import follow, follow_async

P = ParamSpec("P")
R = TypeVar("R")


def traced(function: Callable[P, R], role: Role) -> Callable[P, R]:
    """The function, with a span around each call; its results, errors and signature stay the same."""
    wrapper = _wrapper(function, role)
    streams = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    if type(function) is FunctionType and not streams:
        return wrapper
    stand_in = AsyncStandIn if calls_coroutine(function) else StandIn
    return cast("Callable[P, R]", stand_in(function, wrapper, (traced, (function, role))))


def _wrapper(function: Callable[P, R], role: Role) -> Callable[P, R]:
    if inspect.iscoroutinefunction(function) or calls_coroutine(function):
        return cast(
            "Callable[P, R]", _traced_async(cast("Callable[P, Coroutine[Any, Any, R]]", function), role)
        )

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        call = begin(role, args, kwargs)
        if call is None:
            return function(*args, **kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            call.fail(error)
            raise
        return _delivered(call, result)

    return wrapper


def _traced_async(
    function: Callable[P, Coroutine[Any, Any, R]], role: Role
) -> Callable[P, Coroutine[Any, Any, R]]:
    @functools.wraps(function)
    async def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        call = begin(role, args, kwargs)
        if call is None:
            return await function(*args, **kwargs)
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            call.fail(error)
            raise
        return _delivered(call, result)

    return wrapper


def _delivered(call: Call, result: R) -> R:
    """The result itself; a generator or a coroutine comes back in a traced one of the same kind."""
    kind = type(result)
    if kind in _PLAIN:
        call.end(result)
        return result
    following: object
    # By type: an object of the service may refuse to be asked for its class.
    if issubclass(kind, GeneratorType) and not inspect.isawaitable(result):
        following = follow(call, cast("Generator[Any, Any, Any]", result))
    elif issubclass(kind, AsyncGeneratorType):
        following = follow_async(call, cast("AsyncGenerator[Any, Any]", result))
    elif issubclass(kind, CoroutineType | GeneratorType):  # a generator by types.coroutine is awaited, too
        following = _awaited(call, cast("Coroutine[Any, Any, Any]", result))
    elif issubclass(kind, BUILT_IN):
        following = follow(call, _pieces(cast("Iterator[Any]", result)))
    elif is_future(result):
        follow_future(call, result)
        following = result
    elif (is_stream(result) and watch(call, result)) or (call.answers and hold(call, result, _delivered)):
        following = result
    else:
        call.end(result)
        return result
    call.leave()
    return cast("R", following)


def _pieces(iterator: Iterator[R]) -> Generator[R, None, None]:
    yield from iterator


async def _awaited(call: Call, coroutine: Coroutine[Any, Any, R]) -> R:
    call.enter()
    try:
        result = await coroutine
    except BaseException as error:
        call.fail(error)
        raise
    return _delivered(call, result)


_PLAIN = frozenset({str, list, dict, tuple, type(None)})
