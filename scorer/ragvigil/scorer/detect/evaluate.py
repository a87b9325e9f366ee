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
    counted_since: int | None = None
    """Start of the stretch that `now` counts, nanoseconds; it ends with the look. None without a `now`."""


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
    starts = [now - length for length in stretches(rule)]
    newest = windows[0][1]
    if newest.n <= 0:
        return Evaluation("no_data", rate(older))
    if history < rule.warmup_seconds * 1e9:
        return Evaluation("cold_start", rate(older), rate(newest), counted_since=starts[0])
    shown: tuple[Comparison, int] | None = None
    for start, (before, window) in zip(starts, windows, strict=True):
        found = compare(older + before, window, rule)
        if found is not None and found.fell:
            return _fall(recent, older, (found.before, found.now, start))
        if shown is None and found is not None:
            shown = found, start
    if shown is None:
        return Evaluation("insufficient_sample", rate(older), rate(windows[-1][1]), counted_since=starts[-1])
    return Evaluation("ok", shown[0].before, shown[0].now, counted_since=shown[1])


def told_from(evaluation: Evaluation, recent: Sequence[Bucket], older: Sums) -> Evaluation:
    """The same fall with more of what was before as `recent`, less as `older`: it may have begun before its window.

    >>> good, bad = Sums(10, 10, 10, 10, 10, 10), Sums(10, 10, 2, 10, 2, 2)
    >>> told_from(Evaluation("alert", since=8), [Bucket(at, good if at < 6 else bad) for at in range(9)], Sums()).since
    6
    """
    return _fall(recent, older, (evaluation.before, evaluation.now, evaluation.counted_since))


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
    recent: Sequence[Bucket], older: Sums, known: tuple[Estimate | None, Estimate | None, int | None]
) -> Evaluation:
    """The fall, told from its beginning: the window that proved it may be half full of what was before.

    The beginning is the one that sets the two rates furthest apart, so a level of few observations is told a
    little worse than it is; whether it is a fall was decided before, on a window nobody chose. `known` of that
    window (before, now and where it starts) stands where the cut leaves too few observations.
    """
    known_before, known_now, known_start = known
    cut = split(recent, before=older if older.n > 0 else None, falling=True)
    index = cut.index if cut is not None else 0
    since_then = total(recent[index:])
    before, level = rate(older + total(recent[:index])), rate(since_then)
    return Evaluation(
        "alert",
        before or known_before,
        level or known_now,
        recent[index].start,
        rate(total(recent[index:-1])),
        recent[-1].start,
        known_start if level is None else recent[index].start,
    )
