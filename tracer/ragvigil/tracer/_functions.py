"""What is traced and still is, to whoever asks, what it was: generator functions and callables that are no functions.

Frameworks look at ``inspect.isgeneratorfunction`` and ``isasyncgenfunction`` before they stream. A wrapper that is a
generator function itself would answer them, but would see its call only when the first piece is asked for: then the
request around is often over (a streaming response is read after its endpoint has returned).

A partial, a cached function or an object with ``__call__`` has attributes that the service uses (``cache_clear``), and
in a class most of them do not take the instance as their first argument, as a function would.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from types import FunctionType, MethodType
from typing import cast


class StandIn:
    """Runs another callable when called, and is the wrapped one in everything else: class, attributes, pickling."""

    __wrapped__: Callable[..., object]
    _called: Callable[..., object]
    _again: tuple[object, ...]

    def __init__(
        self, function: Callable[..., object], called: Callable[..., object], again: tuple[object, ...]
    ) -> None:
        """Stand in for ``function``, by ``called``; ``again`` is what pickling says of one that has no name."""
        for name in functools.WRAPPER_ASSIGNMENTS:
            if hasattr(function, name):
                self.__dict__[name] = getattr(function, name)
        self.__dict__.update(__wrapped__=function, _called=called, _again=again)

    def __call__(self, /, *args: object, **kwargs: object) -> object:
        """The traced call."""
        return self._called(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> object:
        """The method of this instance, where the wrapped one would be a method; else itself."""
        bind = getattr(type(self.__wrapped__), "__get__", None)
        if instance is None or bind is None or bind(self.__wrapped__, instance, owner) is self.__wrapped__:
            return self
        return MethodType(self, instance)

    def __getattr__(self, name: str) -> object:
        """What the wrapped one has beside its name and documentation."""
        if name in _OWN:
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __setattr__(self, name: str, value: object) -> None:
        """Set it where the wrapped one will look for it."""
        setattr(self.__wrapped__, name, value)

    def __delattr__(self, name: str) -> None:
        """Delete it where it was set."""
        delattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        """As the wrapped one prints itself."""
        return repr(self.__wrapped__)

    def __reduce__(self) -> str | tuple[object, ...]:
        """Functions are pickled by their name, and copied as themselves; others are made again."""
        named = isinstance(self.__wrapped__, FunctionType)
        return self.__wrapped__.__qualname__ if named else self._again

    @property
    def __class__(self) -> type[StandIn]:
        """The class of what it stands for."""
        return cast("type[StandIn]", self.__wrapped__.__class__)

    @__class__.setter
    def __class__(self, other: type) -> None:
        raise TypeError(f"__class__ of {self!r} cannot be set")


class AsyncStandIn(StandIn):
    """Stands in for an object whose ``__call__`` is a coroutine function, which frameworks ask for."""

    async def __call__(self, /, *args: object, **kwargs: object) -> object:
        """The traced call."""
        return await cast("Awaitable[object]", self._called(*args, **kwargs))


_OWN = frozenset({"__wrapped__", "_called", "_again"})


def calls_coroutine(function: object) -> bool:
    """Whether it is an object whose ``__call__`` is a coroutine function."""
    return inspect.iscoroutinefunction(getattr(type(function), "__call__", None))  # noqa: B004 - its kind is asked
