"""Streams that are objects of their own, such as a model vendor's: watched where they are, never replaced.

While such an object is read, its class is a subclass that looks at each piece; with the last piece, ``close``, the end
of its ``with`` block or its collection it is of its own class again. So it stays the same object, with its type,
attributes and methods, and methods of its own that read it are seen too.
"""

from __future__ import annotations

import inspect
import itertools
import threading
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from functools import lru_cache
from typing import Any, SupportsIndex, TypeVar, cast

from ragvigil.tracer._calls import Call

Item = TypeVar("Item")

BUILT_IN: tuple[type, ...] = (
    map, filter, zip, type(iter([])), type(iter(())), itertools.chain, itertools.islice, itertools.starmap,
    itertools.takewhile,
)  # fmt: skip
"""Iterators without a class that could be exchanged; they have nothing but their pieces."""

_COLLECTIONS = (str, bytes, bytearray, dict, list, tuple, set, frozenset)
_LEAVING = ("close", "aclose", "__exit__", "__aexit__")


class Watched:
    """A stream object that is being read, and the traced calls that returned it, innermost first."""

    __slots__ = ("calls", "finalizer", "kind", "turn")

    def __init__(self, kind: type, call: Call) -> None:
        self.kind = kind
        self.calls = [call]
        self.turn = threading.Lock()
        """Held while a piece is read: what its own methods, or other threads, read meanwhile is not looked at."""
        self.finalizer: weakref.finalize[..., Any] | None = None

    def end(self, error: BaseException | None = None, *, early: bool = False) -> None:
        """End all calls with what was read."""
        calls, self.calls = self.calls, []
        for call in calls:
            if error is not None:
                call.fail(error)
            else:
                if call.pieces is None and early:
                    call.note_unread(self.kind.__name__)
                call.end_stream(early=early)


_watched: dict[int, Watched] = {}


def is_stream(result: object) -> bool:
    """Whether the result is an iterator of its own class, as opposed to a collection or a built-in iterator."""
    kind = type(result)
    if issubclass(kind, _COLLECTIONS):
        return False
    return (hasattr(kind, "__next__") and hasattr(kind, "__iter__")) or (
        hasattr(kind, "__anext__") and hasattr(kind, "__aiter__")
    )


def watch(call: Call, stream: object) -> bool:
    """Whether the call goes on until this stream ends; False when its class allows no watching. Never raises."""
    try:
        if (known := _watched.get(id(stream))) is not None:
            known.calls.append(call)
            return True
        kind: type = type(stream)
        if not may_be_extended(kind):
            return False
        watched = Watched(kind, call)
        if kind.__weakrefoffset__:
            watched.finalizer = weakref.finalize(stream, _collected, id(stream))
            watched.finalizer.atexit = False
        try:
            # Past its own attribute access: a proxy would hand this on to what it stands for.
            CLASS.__set__(stream, _watching(kind))
        except Exception:
            if watched.finalizer is not None:
                watched.finalizer.detach()
            raise
        _watched[id(stream)] = watched
    except Exception:
        return False
    return True


def may_be_extended(kind: type) -> bool:
    """Whether a subclass of this class can be made without its noticing."""
    metaclass: type = type(kind)
    if not kind.__flags__ & _HEAP_TYPE or any(_makes_classes(one) for one in metaclass.__mro__):
        return False
    if any(parent.__module__ == "unittest.mock" for parent in kind.__mro__):
        return False
    hook: object = getattr(kind.__init_subclass__, "__func__", None)
    return hook is None or getattr(hook, "__module__", None) in _UNMOVED


def _makes_classes(metaclass: type) -> bool:
    """Whether this metaclass, or parent of one, has a hand in the making of classes, and may keep account of them."""
    return metaclass.__module__ not in ("builtins", *_UNMOVED) and not _MAKING.isdisjoint(vars(metaclass))


_MAKING = frozenset({"__new__", "__init__", "__call__", "__prepare__", "__setattr__", "mro"})
_HEAP_TYPE = 1 << 9
_UNMOVED = ("abc", "typing", "typing_extensions")
"""Modules whose metaclasses and hooks keep no account of subclasses."""


def _collected(identity: int) -> None:
    if (watched := _watched.pop(identity, None)) is not None:
        watched.end(early=True)


def _release(stream: object, error: BaseException | None = None, *, early: bool = False) -> None:
    """Give the stream its own class back, and end its calls."""
    watched = _watched.pop(id(stream), None)
    if watched is None:
        return
    if watched.finalizer is not None:
        watched.finalizer.detach()
    CLASS.__set__(stream, watched.kind)
    watched.end(error, early=early)


CLASS: Any = object.__dict__["__class__"]
"""Sets an object's class past its own attribute access."""


@lru_cache(maxsize=64)
def _watching(kind: type) -> type:
    """The subclass of this class that looks at what is read."""
    namespace = passing_for(kind)
    for name, make in (
        ("__next__", _next),
        ("__iter__", _iter),
        ("__anext__", _anext),
        ("__aiter__", _aiter),
    ):
        if (own := getattr(kind, name, None)) is not None:
            namespace[name] = make(own)
    for name in _LEAVING:
        if callable(own := getattr(kind, name, None)):
            namespace[name] = _left(own)
    if not kind.__weakrefoffset__:
        namespace["__del__"] = _deleted(getattr(kind, "__del__", None))
    return type(kind)(kind.__name__, (kind,), namespace)


def passing_for(kind: type) -> dict[str, object]:
    """What a subclass begins with that nobody should tell from this class, in code, in copies or in pickles."""
    namespace: dict[str, object] = {
        "__slots__": (),
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
        "__class__": property(lambda _: kind),
    }
    if (own := getattr(kind, "__reduce_ex__", None)) is not None:
        namespace["__reduce_ex__"] = _reduce_ex(kind, own)
    return namespace


def _deleted(own: Callable[[object], object] | None) -> Callable[[object], object]:
    """Ends the calls of a stream that no weak reference can follow, when it is collected."""

    def delete(stream: object) -> object:
        _collected(id(stream))
        return None if own is None else own(stream)

    return delete


def _reduce_ex(
    kind: type, own: Callable[[object, SupportsIndex], object]
) -> Callable[[object, SupportsIndex], object]:
    """Copies and pickles are of the stream's own class, and are not watched."""

    def reduce(stream: object, protocol: SupportsIndex) -> object:
        reduced = own(stream, protocol)
        if not isinstance(reduced, tuple):
            return reduced
        how, given, *state = cast("tuple[object, object, *tuple[object, ...]]", reduced)
        if isinstance(given, tuple):
            values = cast("tuple[object, ...]", given)
            given = tuple(kind if value is type(stream) else value for value in values)
        return (how, given, *state)

    return reduce


def _next(own: Callable[[object], Item]) -> Callable[[object], Item]:
    def step(stream: object) -> Item:
        return _stepped(stream, lambda: own(stream))

    return step


def _anext(own: Callable[[object], Awaitable[Item]]) -> Callable[[object], Awaitable[Item]]:
    async def step(stream: object) -> Item:
        return await _stepped_async(stream, lambda: own(stream))

    return step


def _iter(own: Callable[[object], Iterator[Item]]) -> Callable[[object], Iterator[Item]]:
    def begin(stream: object) -> Iterator[Item]:
        pieces = own(stream)
        return pieces if pieces is stream else _pieces(stream, pieces)

    return begin


def _aiter(own: Callable[[object], AsyncIterator[Item]]) -> Callable[[object], AsyncIterator[Item]]:
    def begin(stream: object) -> AsyncIterator[Item]:
        pieces = own(stream)
        return pieces if pieces is stream else _pieces_async(stream, pieces)

    return begin


def _left(own: Callable[..., object]) -> Callable[..., object]:
    """The method that leaves the stream, after which its calls have ended."""

    def leave(stream: object, *args: object, **kwargs: object) -> object:
        try:
            left = own(stream, *args, **kwargs)
        except BaseException:
            _release(stream, early=True)
            raise
        if inspect.iscoroutine(left):
            return _left_later(stream, left)
        _release(stream, early=True)
        return left

    return leave


async def _left_later(stream: object, leaving: Awaitable[object]) -> object:
    try:
        return await leaving
    finally:
        _release(stream, early=True)


def _pieces(stream: object, pieces: Iterator[Item]) -> Generator[Item, None, None]:
    """The pieces of a stream that hands out another iterator for itself."""
    while True:
        try:
            item = _stepped(stream, pieces.__next__)
        except StopIteration:
            return
        yield item


async def _pieces_async(stream: object, pieces: AsyncIterator[Item]) -> AsyncIterator[Item]:
    while True:
        try:
            item = await _stepped_async(stream, pieces.__anext__)
        except StopAsyncIteration:
            return
        yield item


def _turn(stream: object) -> tuple[threading.Lock, list[Call]] | None:
    """The stream's turn, taken, and its calls; None while another reads it, and once another has ended it."""
    watched = _watched.get(id(stream))
    if watched is None or not watched.turn.acquire(blocking=False):
        return None
    # Read once: whoever ends the stream meanwhile leaves it another list.
    if calls := watched.calls:
        return watched.turn, calls
    watched.turn.release()
    return None


def _stepped(stream: object, step: Callable[[], Item]) -> Item:
    """One piece, read under the innermost call's span."""
    if (own := _turn(stream)) is None:
        return step()
    turn, calls = own
    calls[0].enter()
    try:
        item = step()
    except BaseException as error:
        _after(turn, calls[0], error)
        _ended(stream, error)
        raise
    _after(turn, calls[0], None)
    for one in calls:
        one.take(item)
    return item


async def _stepped_async(stream: object, step: Callable[[], Awaitable[Item]]) -> Item:
    if (own := _turn(stream)) is None:
        return await step()
    turn, calls = own
    calls[0].enter()
    try:
        item = await step()
    except BaseException as error:
        _after(turn, calls[0], error)
        _ended(stream, error)
        raise
    _after(turn, calls[0], None)
    for one in calls:
        one.take(item)
    return item


def _after(turn: threading.Lock, call: Call, error: BaseException | None) -> None:
    call.leave(error)
    turn.release()


def _ended(stream: object, error: BaseException) -> None:
    exhausted = isinstance(error, StopIteration | StopAsyncIteration)
    _release(stream, None if exhausted else error)
