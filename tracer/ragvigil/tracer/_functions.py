"""Generator functions that are traced and are still generator functions to whoever asks.

Frameworks look at ``inspect.isgeneratorfunction`` and ``isasyncgenfunction`` before they stream. A wrapper that is a
generator function itself would answer them, but would see its call only when the first piece is asked for: then the
request around is often over (a streaming response is read after its endpoint has returned).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import MethodType
from typing import cast


class StreamingFunction:
    """Runs another function when called, and is the wrapped one in everything else: code, class, pickling."""

    __wrapped__: Callable[..., object]
    __qualname__: str

    def __init__(self, function: Callable[..., object], called: Callable[..., object]) -> None:
        functools.update_wrapper(self, function)
        self._called = called
        self._core = _core(function)

    def __call__(self, /, *args: object, **kwargs: object) -> object:
        """The traced stream."""
        return self._called(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> object:
        """The method of this instance; the function itself on the class."""
        return self if instance is None else MethodType(self, instance)

    def __getattr__(self, name: str) -> object:
        """What a function has beside its name and documentation: code, defaults, globals."""
        if name == "_core":
            raise AttributeError(name)
        return getattr(self._core, name)

    def __repr__(self) -> str:
        """As the function prints itself."""
        return repr(self.__wrapped__)

    def __reduce__(self) -> str:
        """Functions are pickled by their name, and copied as themselves."""
        return self.__qualname__

    @property
    def __class__(self) -> type[StreamingFunction]:
        """The class of the function that it stands for."""
        return cast("type[StreamingFunction]", type(self._core))

    @__class__.setter
    def __class__(self, other: type) -> None:
        raise TypeError(f"__class__ of {self!r} cannot be set, as that of any function")


def _core(function: Callable[..., object]) -> object:
    """The function inside of partials and bound methods."""
    core: object = function
    while True:
        if isinstance(core, functools.partial):
            core = cast("functools.partial[object]", core).func
        elif inspect.ismethod(core):
            core = core.__func__
        else:
            return core
