"""The course of a rate as a picture, for channels that carry one: what it was, when it fell, how far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ragvigil.exporters._alert import Alert
from ragvigil.exporters._canvas import Canvas, text_width
from ragvigil.exporters._page import colour_of
from ragvigil.exporters._text import percent, reference_word
from ragvigil.exporters._trend import thinned

WIDTH, HEIGHT = 400, 160
"""As it is shown; it is drawn twice as large, for screens with small pixels."""

_LEFT, _TOP, _RIGHT, _BOTTOM = 100.0, 18.0, 790.0, 272.0
_TEXT = 22.0
_STROKE = 8.0
_MOST_STEPS = 60
_GRID, _WORDS, _WELL, _FALLEN = range(4)
_ROOM = 24.0
"""Pixels between two texts."""
_LONG = timedelta(hours=20)
"""From here on a time of day alone does not say when."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture, and the same in words."""

    png: bytes
    words: str


@dataclass(frozen=True, slots=True)
class _Scale:
    """The shares at the lower and the upper end of the drawing."""

    low: float
    high: float

    def height(self, value: float) -> float:
        """Pixels from the top of the picture."""
        share = (min(self.high, max(self.low, value)) - self.low) / (self.high - self.low)
        return _BOTTOM - share * (_BOTTOM - _TOP)


def chart_of(alert: Alert) -> Chart | None:
    """The picture of an alert's history; None with fewer than two values.

    A line, not bars, for the axis does not begin at 0 %: a fall from 99 to 95 % must be seen on a phone.
    """
    values = thinned(alert.history, _MOST_STEPS)
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    scale = _scale([*known, alert.before.value])
    canvas = Canvas(2 * WIDTH, 2 * HEIGHT, ("d5d9dd", "59626b", "5c7a99", colour_of(alert)))
    _axis(canvas, scale)
    fallen = _share(alert, alert.since)
    _usual(canvas, scale.height(alert.before.value))
    _line(canvas, [None if value is None else scale.height(value) for value in values], fallen)
    _times(canvas, alert, fallen)
    return Chart(canvas.png(), _words(alert, min(known), max(known)))


def _scale(values: Sequence[float]) -> _Scale:
    """Whole tenths around the values, two of them at least.

    >>> _scale((0.95, 0.96)), _scale((0.42, 0.96)), _scale((0.0,))
    (_Scale(low=0.8, high=1.0), _Scale(low=0.4, high=1.0), _Scale(low=0.0, high=0.2))
    """
    low = max(0.0, math.floor(min(values) * 10.0) / 10.0)
    high = min(1.0, math.ceil(max(values) * 10.0) / 10.0)
    if high - low < 0.15:
        low, high = max(0.0, high - 0.2), max(0.2, high)
    return _Scale(low, high)


def _axis(canvas: Canvas, scale: _Scale) -> None:
    for value in (scale.low, (scale.low + scale.high) / 2.0, scale.high):
        y = scale.height(value)
        canvas.fill(_LEFT, y - 1, _RIGHT, y + 1, _GRID)
        canvas.write(
            f"{100.0 * value:.0f}%", _LEFT - 14, y - _TEXT / 2, size=_TEXT, ink=_WORDS, align="right"
        )


def _usual(canvas: Canvas, y: float) -> None:
    """What was before, as a broken line."""
    x = _LEFT
    while x < _RIGHT:
        canvas.fill(x, y - 1.5, min(x + 12, _RIGHT), y + 1.5, _WORDS)
        x += 24


def _line(canvas: Canvas, heights: Sequence[float | None], fallen: float) -> None:
    """A step for each stretch; nothing where nothing was seen. What lies after `fallen`, in [0, 1], has its own ink."""
    step = (_RIGHT - _LEFT) / len(heights)
    last: float | None = None
    for number, y in enumerate(heights):
        x, half = _LEFT + number * step, _STROKE / 2
        if y is not None:
            ink = _FALLEN if (number + 0.5) / len(heights) >= fallen else _WELL
            if last is not None:
                canvas.fill(x - half, min(y, last) - half, x + half, max(y, last) + half, ink)
            canvas.fill(x - half, y - half, x + step + half, y + half, ink)
        last = y


def _share(alert: Alert, moment: datetime) -> float:
    """Where in the drawing a moment lies; 1, its end, when nobody knows when the history begins."""
    span = _span(alert)
    if span is None or span[0] >= span[1]:
        return 1.0
    begin, end = span
    return min(1.0, max(0.0, (moment - begin) / (end - begin)))


def _span(alert: Alert) -> tuple[datetime, datetime] | None:
    """From when until when, in UTC; None when nobody says."""
    if alert.history_from is None or alert.history_until is None:
        return None
    return alert.history_from.astimezone(UTC), alert.history_until.astimezone(UTC)


def _times(canvas: Canvas, alert: Alert, fallen: float) -> None:
    """When it begins, when the fall began where there is room to say it, and when it ends; all in UTC."""
    span = _span(alert)
    if span is None:
        return
    pattern = "%m-%d %H:%M" if span[1] - span[0] >= _LONG else "%H:%M"
    first, last = (moment.strftime(pattern) for moment in span)
    since = alert.since.astimezone(UTC).strftime(pattern)
    y = _BOTTOM + 20
    canvas.write(first, _LEFT, y, size=_TEXT, ink=_WORDS)
    canvas.write(last, _RIGHT, y, size=_TEXT, ink=_WORDS, align="right")
    x, width = _LEFT + fallen * (_RIGHT - _LEFT), text_width(since, size=_TEXT)
    begin = _LEFT + text_width(first, size=_TEXT) + _ROOM
    end = _RIGHT - text_width(last, size=_TEXT) - _ROOM - width
    if end > begin and begin - width <= x <= end + 2 * width:
        canvas.fill(x - 1.5, _BOTTOM, x + 1.5, _BOTTOM + 12, _WORDS)
        canvas.write(since, min(end, max(begin, x - width / 2)), y, size=_TEXT, ink=_FALLEN)


def _words(alert: Alert, lowest: float, highest: float) -> str:
    reach = f"The rate, from {percent(lowest)} to {percent(highest)}"
    span = _span(alert)
    if span is not None:
        first, last = span
        pattern = "%H:%M" if first.date() == last.date() else "%Y-%m-%d %H:%M"
        reach += f", {first:%Y-%m-%d %H:%M} to {last.strftime(pattern)} UTC"
    return f"{reach}; broken line: {percent(alert.before.value)} {reference_word(alert)}."
