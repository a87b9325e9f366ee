"""Results that hold a stream without being one: LlamaIndex' streaming responses, and blocks that hand a stream out.

Such a holder stays the object that the function returned. A stream among its attributes is replaced by a traced one;
one that is only made when it is asked for, by a property or at the begin of a ``with`` block, is traced from there:
until then the holder's class is a subclass of its own, as in `_iterators`. A block that hands out the holder itself is
read at its end.
"""

from __future__ import annotations

import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from functools import lru_cache
from types import AsyncGeneratorType, GeneratorType
from typing import Any, TypeAlias, cast

from ragvigil.tracer._answers import read_answer
from ragvigil.tracer._calls import Call
from ragvigil.tracer._iterators import CLASS, may_be_extended, passing_for
from ragvigil.tracer._streams import follow, follow_async

Deliver: TypeAlias = Callable[[Call, object], object]
"""Hands a stream out, traced as the result of a call."""

STREAM = "response_gen"
_MAKING = "async_response_gen"
_ENTERING = "__enter__"
_ENTERING_ASYNC = "__aenter__"
_LEAVING = "__exit__"
_LEAVING_ASYNC = "__aexit__"


class Held:
    """A holder whose stream nobody has asked for, and the call that returned it."""

    __slots__ = ("call", "deliver", "finalizer", "kind")

    def __init__(
        self, kind: type, call: Call, deliver: Deliver, finalizer: weakref.finalize[..., Any]
    ) -> None:
        self.kind = kind
        self.call = call
        self.deliver = deliver
        self.finalizer = finalizer


_held: dict[int, Held] = {}


def hold(call: Call, holder: object, deliver: Deliver) -> bool:
    """Whether the call goes on until the stream in this result ends. Never raises."""
    try:
        return _replace(call, holder) or _wait(call, holder, deliver)
    except Exception:
        return False


def _replace(call: Call, holder: object) -> bool:
    """Put a traced generator in the place of the one that the holder has."""
    stream: object = getattr(holder, "__dict__", {}).get(STREAM)
    traced: object
    if isinstance(stream, GeneratorType):
        traced = follow(call, cast("Generator[object, Any, Any]", stream))
    elif isinstance(stream, AsyncGeneratorType):
        traced = follow_async(call, cast("AsyncGenerator[object, Any]", stream))
    else:
        return False
    setattr(holder, STREAM, traced)
    return True


def _wait(call: Call, holder: object, deliver: Deliver) -> bool:
    """Wait until the stream is asked for."""
    kind: type = type(holder)
    making = isinstance(getattr(kind, STREAM, None), property)
    if not making and not _hands_out(kind):
        return False
    if id(holder) in _held or not may_be_extended(kind) or read_answer(holder).text:
        return False
    finalizer = weakref.finalize(holder, _collected, id(holder))
    finalizer.atexit = False
    try:
        CLASS.__set__(holder, _holding(kind))
    except Exception:
        finalizer.detach()
        raise
    _held[id(holder)] = Held(kind, call, deliver, finalizer)
    return True


def _hands_out(kind: type) -> bool:
    """Whether an object of this class may hand a stream out at the begin of its ``with`` block."""
    return hasattr(kind, _ENTERING) or hasattr(kind, _ENTERING_ASYNC)


def _collected(identity: int) -> None:
    if (held := _held.pop(identity, None)) is not None:
        held.call.note_unread(held.kind.__name__)
        held.call.end_stream(early=True)


def _released(holder: object) -> Held | None:
    """The holder's call, after the holder got its own class back; None for another time."""
    held = _held.pop(id(holder), None)
    if held is not None:
        held.finalizer.detach()
        CLASS.__set__(holder, held.kind)
    return held


@lru_cache(maxsize=64)
def _holding(kind: type) -> type:
    """The subclass of this class that traces the stream when it is asked for."""
    namespace = passing_for(kind)
    if isinstance(made := getattr(kind, STREAM, None), property) and made.fget is not None:
        namespace[STREAM] = property(_handing_out(made.fget))
    for name in (_MAKING, _ENTERING):
        if callable(own := getattr(kind, name, None)):
            namespace[name] = _handing_out(own)
    if callable(own := getattr(kind, _ENTERING_ASYNC, None)):
        namespace[_ENTERING_ASYNC] = _handing_out_later(cast("Callable[[object], Awaitable[object]]", own))
    if callable(own := getattr(kind, _LEAVING, None)):
        namespace[_LEAVING] = _left(own)
    if callable(own := getattr(kind, _LEAVING_ASYNC, None)):
        namespace[_LEAVING_ASYNC] = _left_later(cast("Callable[..., Awaitable[object]]", own))
    return type(kind)(kind.__name__, (kind,), namespace)


def _handing_out(own: Callable[[object], object]) -> Callable[[object], object]:
    def hand_out(holder: object) -> object:
        held = _released(holder)
        try:
            stream = own(holder)
        except BaseException as error:
            if held is not None:
                held.call.fail(error)
            raise
        return _handed_out(held, holder, stream)

    return hand_out


def _handing_out_later(own: Callable[[object], Awaitable[object]]) -> Callable[[object], Awaitable[object]]:
    async def hand_out(holder: object) -> object:
        held = _released(holder)
        try:
            stream = await own(holder)
        except BaseException as error:
            if held is not None:
                held.call.fail(error)
            raise
        return _handed_out(held, holder, stream)

    return hand_out


def _handed_out(held: Held | None, holder: object, stream: object) -> object:
    """What the holder handed out, traced; its call goes on to the block's end where that is the holder itself."""
    if held is None:
        return stream
    if stream is not holder:
        return held.deliver(held.call, stream)
    try:
        waiting = _wait(held.call, holder, held.deliver)
    except Exception:
        waiting = False
    if not waiting:
        held.call.end(holder)
    return holder


def _left(own: Callable[..., object]) -> Callable[..., object]:
    def leave(holder: object, *error: object) -> object:
        held = _released(holder)
        try:
            return own(holder, *error)
        finally:
            if held is not None:
                held.call.end(holder)

    return leave


def _left_later(own: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    async def leave(holder: object, *error: object) -> object:
        held = _released(holder)
        try:
            return await own(holder, *error)
        finally:
            if held is not None:
                held.call.end(holder)

    return leave
