"""Times that a service gives for what is over, as nanoseconds: what is none of them is left out, and said once."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias

from ragvigil.tracer._notices import describe, notices
from ragvigil.tracer._reading import number

Duration: TypeAlias = float | timedelta | None
"""In seconds, where it is a number."""
Moment: TypeAlias = float | datetime | None
"""In seconds since 1970, where it is a number; a datetime without a zone is local time."""

_LATEST = 2**63 - 1
"""Nanoseconds that every reader of OTLP can hold: in the year 2262."""


class Period(NamedTuple):
    """From when to when something went on, in nanoseconds since 1970."""

    began: int
    ended: int


def period(seconds: Duration, ended_at: Moment) -> Period:
    """When it began and ended: now and at once, as far as that cannot be read. Never raises.

    >>> period(1.5, 10.0)
    Period(began=8500000000, ended=10000000000)
    """
    ended = _nanoseconds("ended_at", ended_at, _LATEST)
    if ended is None:
        ended = time.time_ns()
    return Period(ended - (_nanoseconds("seconds", seconds, ended) or 0), ended)


def _nanoseconds(name: str, given: object, most: int) -> int | None:
    """The time as whole nanoseconds from 0 to ``most``; None, and a word in the log, for anything else."""
    if given is None:
        return None
    try:
        value = number(_in_seconds(given))
        if value is not None and 0 <= value <= most / 1e9 and (whole := int(value * 1e9)) <= most:
            return whole
        shown = given if isinstance(given, float) else value
        told = type(given).__name__ if shown is None else f"{shown:g}"
        words = f"{name} is no time in seconds: {told}"
    except (Exception, SystemExit) as error:
        words = f"{name}: {describe(error)}"
    notices.say("a time was left out", words)
    return None


def _in_seconds(given: object) -> object:
    if isinstance(given, datetime):
        return given.timestamp()
    return given.total_seconds() if isinstance(given, timedelta) else given
