"""Attributes that are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class made_once(Generic[T]):  # noqa: N801 - a decorator, as functools.cached_property is
    """What `functools.cached_property` does, without the lock that it takes on Python 3.11 for every object.

    For objects that one thread uses, or whose attribute may be made twice: all that the scorer has. The tracer, which
    lives in other people's threads and imports nothing from here, keeps `functools.cached_property`.

    >>> class Word:
    ...     @made_once
    ...     def length(self) -> int:
    ...         return len("snow")
    >>> word = Word()
    >>> word.length, vars(word)
    (4, {'length': 4})
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: type, /) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type, /) -> T: ...

    def __get__(self, instance: object | None, owner: type, /) -> Self | T:
        if instance is None:
            return self
        made = instance.__dict__[self._name] = self._make(instance)
        return made
