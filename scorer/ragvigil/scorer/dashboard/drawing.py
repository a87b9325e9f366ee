"""Where the lines of a chart lie: a rate over time with its interval, as templates draw it in SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from ragvigil.exporters import clean
from ragvigil.scorer.dashboard.course import Course, Step
from ragvigil.scorer.dashboard.rendering import percent_of
from ragvigil.scorer.moments import DAY, HOUR, MINUTE, calendar_time, to_the_second

_TICKS = (
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    4 * DAY,
    7 * DAY,
)
_MOST_TICKS = 8
_DATES_FROM = timedelta(hours=20)
_LONGEST_MARK = 80


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of a chart, in the units of its picture, and the room around its lines."""

    width: float
    height: float
    left: float = 0.0
    right: float = 0.0
    top: float = 2.0
    bottom: float = 2.0


SMALL = Frame(180, 36)
LARGE = Frame(900, 260, left=56, right=56, top=14, bottom=28)
"""Rates stand at both sides: on a narrow screen the picture is scrolled to its newest end."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment to show: a deploy, an incident."""

    at: int
    """Unix nanoseconds."""
    text: str
    kind: str
    """Class of its line: ``change``, ``fall`` or ``well``."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of an axis, with its words."""

    place: float
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One step: its interval as a rectangle, its rate as a line, its figures as words."""

    x: float
    width: float
    top: float
    height: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """An upright line with its words."""

    x: float
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart."""

    frame: Frame
    bars: tuple[Bar, ...]
    rates: tuple[Tick, ...]
    times: tuple[Tick, ...]
    lines: tuple[Line, ...]
    usual: float | None
    """Height of the level from before."""
    words: str
    """What it shows, for who cannot see it."""


def drawing_of(
    course: Course, frame: Frame, *, usual: float | None = None, marks: Iterable[Mark] = ()
) -> Drawing | None:
    """The chart of a course; None without a step.

    The axis of rates begins below the lowest interval, not at 0 %: a fall from 99 to 95 % must be seen.
    """
    if not course.steps:
        return None
    low, high = _range(course.steps, usual)
    across = (frame.width - frame.left - frame.right) / max(1, course.end - course.begin)
    down = (frame.height - frame.top - frame.bottom) / (high - low)

    def x(moment: int) -> float:
        return round(frame.left + (moment - course.begin) * across, 1)

    def y(value: float) -> float:
        return round(frame.top + (high - value) * down, 1)

    return Drawing(
        frame,
        tuple(
            Bar(
                x(step.start),
                round(x(step.end) - x(step.start), 1),
                y(step.upper),
                round(y(step.lower) - y(step.upper), 1),
                y(step.value),
                told(step),
            )
            for step in course.steps
        ),
        tuple(Tick(y(value), f"{100.0 * value:.0f} %") for value in (low, (low + high) / 2.0, high)),
        tuple(Tick(x(moment), text) for moment, text in _times(course.begin, course.end)),
        tuple(
            Line(x(one.at), f"{to_the_second(one.at)}: {clean(one.text, limit=_LONGEST_MARK)}", one.kind)
            for one in marks
            if course.begin <= one.at <= course.end
        ),
        None if usual is None else y(usual),
        _words(course),
    )


def told(step: Step) -> str:
    """A step in words."""
    return f"{to_the_second(step.start)} to {to_the_second(step.end)}: {percent_of(step)}"


def _range(steps: Sequence[Step], usual: float | None) -> tuple[float, float]:
    """Whole tenths around all intervals, two of them at least."""
    low = math.floor(10.0 * min([one.lower for one in steps] + ([] if usual is None else [usual]))) / 10.0
    high = math.ceil(10.0 * max([one.upper for one in steps] + ([] if usual is None else [usual]))) / 10.0
    low, high = max(0.0, low), min(1.0, high)
    return (low, high) if high - low > 0.15 else (max(0.0, high - 0.2), max(0.2, high))


def _times(begin: int, end: int) -> Iterable[tuple[int, str]]:
    """Round moments in UTC, eight at most, with their words."""
    apart = next((one for one in _TICKS if (end - begin) // one <= _MOST_TICKS), None)
    if apart is None:
        apart = DAY * math.ceil((end - begin) / DAY / _MOST_TICKS)
    form = "%m-%d %H:%M" if timedelta(microseconds=(end - begin) / 1e3) >= _DATES_FROM else "%H:%M"
    form = "%m-%d" if apart >= DAY else form
    for moment in range(-(-begin // apart) * apart, end, apart):
        yield moment, f"{calendar_time(moment):{form}}"


def _words(course: Course) -> str:
    first, last = course.steps[0], course.steps[-1]
    lowest = min(course.steps, key=lambda one: one.value)
    return f"A rate over time, in UTC. First {told(first)}. Lowest {told(lowest)}. Last {told(last)}."
