"""Times of the day, which may be written in several ways: 10:30 PM, 22:30, 22.30 Uhr, 22h30."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SEVERAL = r"(?:\s?(?:[-\u2013\u2014]|bis|tot|to|till|until|a|\u00e0|e|and|und|en|do)\s?\d{1,2}\.[0-5]\d)?"
_UNIT = r"(?:uhr|uur|hrs?|horas?|ore|heures?|h)\b"
_TIME = re.compile(
    r"(?<![\w.,:/+-])(?P<hour>[01]?\d|2[0-3])(?:"
    r":(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?:\s?(?P<half>[ap])\.?m\b)?"
    r"|\s?(?P<only>[ap])\.?m\b"
    rf"|\.(?P<dotted>[0-5]\d)(?={_SEVERAL}\s?{_UNIT})"
    r"|\s?(?:h|uhr|uur|時|时|点)\s?(?P<past>[0-5]\d)(?![\d.,:])"
    r"|\s?(?:h\b|uhr\b|uur\b|o'clock\b|時|时|点)(?!\s?[\d半]))",
    re.IGNORECASE,
)
_DOTTED = re.compile(
    r"(?<!\w)(?:alle|dalle|ore|kl\.?|om|um|tot|van|von|bis|till|until)\s"
    r"(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d)(?![\w.,:%\u20ac$\u00a3])",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"\d:\d|\d\s?[ap]\.?m\b|\d\.\d\d|\d\s?(?:h|uhr|uur|o'clock|時|时|点)", re.IGNORECASE)


def may_be_a_time(text: str) -> bool:
    """Whether `clock_times` might find any: a quick first look."""
    return _MAYBE.search(text) is not None


def clock_times(text: str) -> Iterator[tuple[int, int, float]]:
    """Where each time of the day begins and ends, and its minutes since midnight.

    >>> texts = ("at 10:30 PM", "22.30 Uhr", "22h30", "2 p.m.", "22:30:00", "12 am", "1.50 m, 3:2:1, 25:00")
    >>> [[at / 60 for _, _, at in clock_times(text)] for text in texts]
    [[22.5], [22.5], [22.5], [14.0], [22.5], [0.0], []]
    """
    if not may_be_a_time(text):
        return
    for pattern in (_TIME, _DOTTED):
        for found in pattern.finditer(text):
            told = found.groupdict()
            half = told.get("half") or told.get("only")
            hour = int(told["hour"])
            minute = int(told["minute"] or told.get("dotted") or told.get("past") or 0)
            if half is None:
                yield found.start("hour"), found.end(), float(hour * 60 + minute)
            elif 1 <= hour <= 12:
                yield found.start(), found.end(), float((hour % 12 + 12 * (half in "pP")) * 60 + minute)
