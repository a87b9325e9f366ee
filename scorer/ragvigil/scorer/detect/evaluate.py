"""One look at one series: its state, and the fall if there is one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from ragvigil.scorer.config import Rule
from ragvigil.scorer.detect.changepoint import split
from ragvigil.scorer.detect.drop import Comparison, compare
from ragvigil.scorer.detect.stretches import stretches, total
from ragvigil.scorer.estimate import Estimate, rate
from ragvigil.scorer.monitoring import Bucket, SeriesState, Sums


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one look found."""

    state: SeriesState
    before: Estimate | None = None
    """The baseline; None when it has too few observations to show."""
    now: Estimate | None = None
    """The window, or the stretch since the fall began; None when it has too few observations to show."""
    since: int | None = None
    """When the fall began, nanoseconds; None without a fall."""
    settled: Estimate | None = None
    """The level from `since` until `until`: buckets to which only late data are added; None when there are none."""
    until: int | None = None


def evaluate(
    recent: Sequence[Bucket],
    older: Sums,
    rule: Rule,
    *,
    now: int,
    history: int,
) -> Evaluation:
    """The state of a series at `now`, from its `recent` buckets and the sums over the baseline before them.

    `recent` covers the longest of `stretches(rule)` at least; `history` is the age of the series, in ns.
    Nothing in the shortest window is no data, never zero. The shortest window that proves a fall decides;
    without a fall, the shortest with enough observations is shown.
    """
    windows = _windows(recent, rule, now)
    newest = windows[0][1]
    if newest.n <= 0:
        return Evaluation("no_data", rate(older))
    if history < rule.warmup_seconds * 1e9:
        return Evaluation("cold_start", rate(older), rate(newest))
    shown: Comparison | None = None
    for before, window in windows:
        found = compare(older + before, window, rule)
        if found is not None and found.fell:
            return _fall(recent, older, found.before, found.now)
        shown = shown or found
    if shown is None:
        return Evaluation("insufficient_sample", rate(older), rate(windows[-1][1]))
    return Evaluation("ok", shown.before, shown.now)


def told_from(evaluation: Evaluation, recent: Sequence[Bucket], older: Sums) -> Evaluation:
    """The same fall with more of what was before as `recent`, less as `older`: it may have begun before its window.

    >>> good, bad = Sums(10, 10, 10, 10, 10, 10), Sums(10, 10, 2, 10, 2, 2)
    >>> told_from(Evaluation("alert", since=8), [Bucket(at, good if at < 6 else bad) for at in range(9)], Sums()).since
    6
    """
    return _fall(recent, older, evaluation.before, evaluation.now)


def fills_its_window(evaluation: Evaluation, recent: Sequence[Bucket]) -> bool:
    """Whether a fall begins with the first of `recent`: then nothing says that it did not begin earlier."""
    return evaluation.state == "alert" and bool(recent) and evaluation.since == recent[0].start


def _windows(recent: Sequence[Bucket], rule: Rule, now: int) -> list[tuple[Sums, Sums]]:
    """For each stretch the sums over what lies before it in `recent`, and over itself; shortest first."""
    lengths = stretches(rule)
    edges = [
        bisect_left(recent, now - length, key=lambda bucket: bucket.start) for length in reversed(lengths)
    ]
    pieces = [total(recent[low:high]) for low, high in pairwise([0, *edges, len(recent)])]
    before = list(accumulate(pieces[:-1]))
    within = list(accumulate(reversed(pieces[1:])))
    return list(zip(reversed(before), within, strict=True))


def _fall(
    recent: Sequence[Bucket], older: Sums, known_before: Estimate | None, known_now: Estimate | None
) -> Evaluation:
    """The fall, told from its beginning: the window that proved it may be half full of what was before.

    The beginning is the one that sets the two rates furthest apart, so a level of few observations is told a
    little worse than it is; whether it is a fall was decided before, on a window nobody chose.
    """
    cut = split(recent, before=older if older.n > 0 else None, falling=True)
    index = cut.index if cut is not None else 0
    since_then = total(recent[index:])
    before = rate(older + total(recent[:index]))
    return Evaluation(
        "alert",
        before or known_before,
        rate(since_then) or known_now,
        recent[index].start,
        rate(total(recent[index:-1])),
        recent[-1].start,
    )
