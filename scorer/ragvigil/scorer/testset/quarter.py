"""Quarters of the year, in UTC: each has a holdout of its own questions."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.moments import SECOND

MARK = "holdout"
"""The tag of a row that is held back; the quarter's name is another."""
SIZE = 50
"""Questions of a quarter's holdout."""
_NAME = re.compile(r"(20\d\d)-Q([1-4])")


class Quarter(NamedTuple):
    """One quarter."""

    name: str
    begin: int
    """Unix nanoseconds."""
    end: int


def quarter_named(name: str, now: int) -> Quarter:
    """The quarter of a name such as ``2026-Q4``; InputError for another name, and where it has not begun by `now`.

    >>> found = quarter_named("2026-Q4", 1795651200 * SECOND)
    >>> found.begin // SECOND, (found.end - found.begin) // SECOND // 86_400
    (1790812800, 92)
    """
    told = _NAME.fullmatch(name)
    if told is None:
        raise InputError("--quarter", f"{name[:40]!r} is none; write it as 2026-Q4")
    year, number = int(told[1]), int(told[2])
    begin, end = _moment(year, number), _moment(year + number // 4, number % 4 + 1)
    if begin > now:
        raise InputError("--quarter", f"{name} has not begun: nobody has asked anything in it")
    return Quarter(name, begin, end)


def quarter_of(now: int) -> str:
    """The name of the quarter that holds a moment (Unix nanoseconds).

    >>> quarter_of(1795651200 * SECOND)
    '2026-Q4'
    """
    at = datetime.fromtimestamp(now / SECOND, UTC)
    return f"{at.year}-Q{(at.month + 2) // 3}"


def quarter_before(name: str) -> str:
    """The one before a quarter.

    >>> quarter_before("2026-Q1"), quarter_before("2026-Q4")
    ('2025-Q4', '2026-Q3')
    """
    year, number = int(name[:4]), int(name[-1])
    return f"{year - (number == 1)}-Q{(number - 2) % 4 + 1}"


def is_quarter(tag: str) -> bool:
    """Whether a tag names a quarter."""
    return _NAME.fullmatch(tag) is not None


def _moment(year: int, number: int) -> int:
    return round(datetime(year, 3 * number - 2, 1, tzinfo=UTC).timestamp()) * SECOND
