"""The decorator that makes a function a check, and what such a function may answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar, cast, overload

from ragvigil.scorer.trace import RagTrace

_MARK = "__ragvigil_check__"
_LONGEST_REASON = 500

Measure = Callable[[RagTrace], object]
F = TypeVar("F", bound=Measure)


@overload
def check(function: F, /) -> F: ...


@overload
def check(*, version: str = "1") -> Callable[[F], F]: ...


def check(function: F | None = None, /, *, version: str = "1") -> F | Callable[[F], F]:
    """Make a function of a record a check; raise `version` whenever it would measure something else.

    ``@check`` alone is ``@check()``.

    It returns a number in [0, 1], True or False, None where there is nothing to say, or a pair of one of these and a
    reason in words.

    >>> from ragvigil.scorer.trace import RagTrace
    >>> @check(version="2")
    ... def polite(record: RagTrace) -> bool:
    ...     return "please" in (record.answer or "").lower()
    >>> version_of(polite)
    '2'
    """

    def mark(function: F) -> F:
        setattr(function, _MARK, version)
        return function

    return mark if function is None else mark(function)


def version_of(function: object) -> str | None:
    """The version of a decorated function; None where it is none."""
    return cast("str | None", getattr(function, _MARK, None)) if callable(function) else None


def value_of(answer: object) -> tuple[float | None, str | None]:
    """Value and reason of what a check answered; ValueError says why it cannot be used.

    >>> value_of((0.25, "three of four")), value_of(True)
    ((0.25, 'three of four'), (1.0, None))
    >>> value_of(7)
    Traceback (most recent call last):
    ValueError: 7 is not in [0, 1]
    """
    value, reason = answer, None
    if isinstance(answer, tuple):
        pair = cast("tuple[object, ...]", answer)
        if len(pair) != 2:
            raise ValueError(f"a tuple of {len(pair)} is no value with its reason")
        value, reason = pair
    if value is not None and not isinstance(value, (int, float)):
        raise ValueError(f"{type(value).__name__} is no number")
    if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
        raise ValueError(f"{value!r:.40} is not in [0, 1]")
    told = None if reason is None else str(reason)[:_LONGEST_REASON]
    return None if value is None else float(value), told
