"""The course of a rate: steps that each hold enough observations for a rate with an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ragvigil.scorer.dashboard.page import Asked
from ragvigil.scorer.estimate import rate
from ragvigil.scorer.estimate.result import FEWEST
from ragvigil.scorer.moments import MINUTE
from ragvigil.scorer.monitor.series_course import parted
from ragvigil.scorer.monitoring import Bucket, SeriesKey, Sums
from ragvigil.scorer.store.reading_fall import buckets_of, first_seen

STEPS = 72
"""The finest that is drawn."""
_WIDEST_GAP = 8
"""Share of a course, as its inverse, for which nothing may be seen within one step."""
_LONGEST_BUCKET = 5 * MINUTE


@dataclass(frozen=True, slots=True)
class Step:
    """The rate over one stretch of time."""

    start: int
    """Unix nanoseconds."""
    end: int
    value: float
    lower: float
    upper: float
    n: int


@dataclass(frozen=True, slots=True)
class Course:
    """The rate from `begin` to `end` (Unix nanoseconds); between steps nothing was seen."""

    begin: int
    end: int
    steps: tuple[Step, ...]
    too_few: int
    """Observations that were too few for a step."""


def course_of(buckets: Sequence[Bucket], begin: int, end: int) -> Course:
    """At most 72 steps, none shorter than a bucket; one with few observations goes on until it has 20.

    >>> twenty = Sums(n=20, w=20.0, wx=19.0, w2=20.0, w2x=19.0, w2x2=19.0)
    >>> found = course_of([Bucket(0, twenty), Bucket(3, Sums.of(1.0)), Bucket(4, twenty)], 0, 9)
    >>> [(step.start, step.end, step.n) for step in found.steps], found.too_few
    ([(0, 1, 20), (3, 5, 21)], 0)
    """
    parts = parted(buckets, begin, end, _grain(buckets, end - begin), STEPS)
    edges = [begin + (end - begin) * place // len(parts) for place in range(len(parts) + 1)]
    steps: list[Step] = []
    held, since, last, too_few = Sums(), 0, 0, 0
    for place, part in enumerate(parts):
        if held.n and place - last > len(parts) // _WIDEST_GAP:
            too_few += held.n
            held = Sums()
        if not part.n:
            continue
        if not held.n:
            since = place
        held, last = held + part, place
        found = rate(held) if held.n >= FEWEST else None
        if found is not None:
            steps.append(Step(edges[since], edges[place + 1], found.value, found.lower, found.upper, held.n))
            held = Sums()
    return Course(begin, end, tuple(steps), too_few + held.n)


def course_back(asked: Asked, key: SeriesKey, span: int) -> Course:
    """That of a series over the last `span` nanoseconds, or since it began."""
    begin = max(asked.until - span, first_seen(asked.connection, key) or 0)
    return course_of(
        buckets_of(asked.connection, key, begin, asked.until), begin, max(begin + 1, asked.until)
    )


def _grain(buckets: Sequence[Bucket], span: int) -> int:
    """How long a bucket is: as they begin at multiples of it, for their scorer may have had other settings."""
    begun = math.gcd(*(one.start for one in buckets)) if buckets else 0
    return max(1, min(begun, max(_LONGEST_BUCKET, span // STEPS)) if begun else span // STEPS)
