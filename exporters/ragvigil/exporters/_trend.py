"""The course of a rate as one line of text, for every channel that shows no picture."""

from __future__ import annotations

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"
_UNKNOWN = "·"
_MOST_BARS = 40
_NARROWEST = 0.1
"""Height of the drawing, as a share, when the values hardly differ: noise must not look like a fall."""


def trend(history: Sequence[float | None]) -> str | None:
    """Bars from the lowest to the highest value, and both as figures; None with fewer than two values.

    >>> trend((0.95, 0.96, None, 0.5, 0.52))
    '██·▁▁ 50.0 to 96.0 %'
    >>> trend((0.95, 0.96)), trend((0.5, None))
    ('▄▅ 95.0 to 96.0 %', None)
    """
    values = thinned(history, _MOST_BARS)
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    lowest, highest = min(known), max(known)
    height = max(highest - lowest, _NARROWEST)
    floor = (lowest + highest - height) / 2.0
    bars = "".join(_UNKNOWN if value is None else _bar((value - floor) / height) for value in values)
    return f"{bars} {100.0 * lowest:.1f} to {100.0 * highest:.1f} %"


def thinned(history: Sequence[float | None], most: int) -> list[float | None]:
    """At most `most` values over the same time: means of neighbours, None where nothing was seen.

    >>> thinned((1.0, 0.0, None, None, 0.5), 3)
    [0.5, None, 0.5]
    """
    size = max(1, -(-len(history) // most))
    return [_mean(history[start : start + size]) for start in range(0, len(history), size)]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _bar(height: float) -> str:
    return _BARS[min(len(_BARS) - 1, max(0, int(height * len(_BARS))))]
