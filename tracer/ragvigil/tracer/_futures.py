"""Results that come later: a future that the function returned is the service's own, and is only listened to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeGuard, cast

from ragvigil.tracer._calls import Call
from ragvigil.tracer._iterators import is_stream, watch
from ragvigil.tracer._notices import notices


class Future(Protocol):
    """What the futures of ``concurrent.futures`` and of ``asyncio`` have in common."""

    def done(self) -> bool:
        """Whether it has a result, an error or was cancelled."""
        ...

    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        ...

    def result(self) -> object:
        """What came of it."""
        ...

    def add_done_callback(self, callback: Callable[[Future], object], /) -> None:
        """Call back when it is done."""
        ...


def is_future(result: object) -> TypeGuard[Future]:
    """Whether the result is a future or a task; one of a module that nobody has imported cannot be."""
    kind = type(result)
    for name in ("concurrent.futures", "asyncio"):
        future: object = getattr(sys.modules.get(name), "Future", None)
        if isinstance(future, type) and issubclass(kind, future):
            return True
    return False


def follow_future(call: Call, future: Future) -> None:
    """End the call when the future is done; it is the same to whoever waits for it."""
    call.leave()
    call.awaits = type(future).__name__
    if future.done():
        _ended(call, future)
    else:
        future.add_done_callback(partial(_ended, call))


def _ended(call: Call, future: Future) -> None:
    try:
        if future.cancelled():
            call.fail(_cancelled(future))
        # Not by ``exception()``: asyncio would think that somebody looked, and not log an error nobody has seen.
        elif (error := cast("BaseException | None", getattr(future, "_exception", None))) is not None:
            call.fail(error)
        elif not is_stream(result := future.result()) or not watch(call, result):
            call.end(result)
    except (Exception, SystemExit) as error:
        notices.say("a future could not be read", error)


def _cancelled(future: Future) -> BaseException:
    try:
        future.result()
    except BaseException as error:
        return error
    return RuntimeError("cancelled")
