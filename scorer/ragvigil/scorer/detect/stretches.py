"""Stretches of event time: which buckets are compared with which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragvigil.scorer.config import Rule
from ragvigil.scorer.monitoring import Bucket, Sums

Span = tuple[int, int | None]
"""(from, to) in nanoseconds; without an end when it still lasts."""

_LONGEST_WINDOWS = 16
_LONGEST_SHARE = 0.25


def nanoseconds(seconds: float) -> int:
    """Seconds as whole nanoseconds.

    >>> nanoseconds(1.5)
    1500000000
    """
    return round(seconds * 1e9)


def stretches(rule: Rule) -> tuple[int, ...]:
    """Lengths (ns, ascending) of the windows that one look compares: 1, 2, 4, 8 and 16 window_seconds.

    A short window sees a large fall soon; a small fall needs more observations than it holds. None is longer
    than a quarter of the baseline, save the first, which is as configured.

    >>> [length / 3.6e12 for length in stretches(Rule())]
    [1.0, 2.0, 4.0, 8.0, 16.0]
    """
    first = nanoseconds(rule.window_seconds)
    longest = max(first, min(first * _LONGEST_WINDOWS, nanoseconds(rule.baseline_seconds * _LONGEST_SHARE)))
    lengths = [first]
    while lengths[-1] * 2 <= longest:
        lengths.append(lengths[-1] * 2)
    return tuple(lengths)


def untouched(end: int, length: int, spans: Iterable[Span]) -> int:
    """Start of the stretch that ends at `end` and holds `length` ns outside `spans`; at most twice as long.

    Without reaching further back, a service that was ill for most of its baseline could not page again.

    >>> untouched(100, 20, [(70, 90)])
    60
    """
    start, wanted = end, length
    ends = [(begin, end if stop is None else min(stop, end)) for begin, stop in spans]
    for begin, stop in sorted(ends, key=lambda span: span[1], reverse=True):
        if stop <= start - wanted:
            break
        wanted -= max(0, start - stop)
        start = min(start, begin)
    return max(end - 2 * length, start - wanted)


def outside(start: int, end: int, spans: Iterable[Span]) -> list[tuple[int, int]]:
    """The parts of [start, end) that no span covers, ascending.

    >>> outside(0, 100, [(70, 90), (-5, 10), (80, 95)])
    [(10, 70), (95, 100)]
    >>> outside(0, 100, [(40, None)])
    [(0, 40)]
    """
    kept: list[tuple[int, int]] = []
    reached = start
    for begin, stop in sorted(spans, key=lambda span: span[0]):
        if begin > reached:
            kept.append((reached, min(begin, end)))
        reached = max(reached, end if stop is None else stop)
        if reached >= end:
            break
    return [*kept, (reached, end)] if reached < end else kept


def without(buckets: Sequence[Bucket], spans: Sequence[Span]) -> list[Bucket]:
    """The buckets that begin outside all spans.

    >>> [bucket.start for bucket in without([Bucket(1, Sums()), Bucket(5, Sums())], [(4, None)])]
    [1]
    """
    if not spans:
        return list(buckets)
    return [
        bucket
        for bucket in buckets
        if not any(begin <= bucket.start and (stop is None or bucket.start < stop) for begin, stop in spans)
    ]


def total(buckets: Iterable[Bucket]) -> Sums:
    """The sums over all the buckets."""
    n, w, wx, w2, w2x, w2x2 = 0, 0.0, 0.0, 0.0, 0.0, 0.0
    for bucket in buckets:
        sums = bucket.sums
        n += sums.n
        w += sums.w
        wx += sums.wx
        w2 += sums.w2
        w2x += sums.w2x
        w2x2 += sums.w2x2
    return Sums(n, w, wx, w2, w2x, w2x2)
