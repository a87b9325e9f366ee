"""Which segments two windows have in common, and which are too thin to stand alone."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.estimate.window import Booleans, Floats, Integers, Window, sums

_LEAST = 5
"""Verdicts of a segment in one window, below which it may be one that hardly exists there."""
_SHRUNK = 5.0
"""How many times as many it has in the other window, for the verdicts of both, when it does."""


def of_one(anchor: Window, now: Window) -> tuple[Booleans, Booleans]:
    """Which segments only the anchor has, and which only `now`; hardly any verdicts count as none."""
    size = 1 + max(int(anchor.segment.max()), int(now.segment.max()))
    present = [np.bincount(side.segment, minlength=size) > 0 for side in (anchor, now)]
    counts = [sums(side.segment, side.known.astype(np.float64), size) for side in (anchor, now)]
    (then, today), (before, after) = present, counts
    per_verdict = after.sum() / before.sum()
    gone = then & (~today | _hardly(after, before * per_verdict))
    new = today & (~then | _hardly(before, after / per_verdict))
    return gone, new


def _hardly(counts: Floats, usual: Floats) -> Booleans:
    """Where there are hardly any verdicts, beside what the other window makes usual."""
    few: Booleans = (counts < _LEAST) & (usual >= _LEAST) & (usual >= _SHRUNK * counts)
    return few


def places(anchor: Window, now: Window) -> tuple[Integers, Booleans]:
    """(segment → its place, whether both windows have the place).

    Segments with fewer than two verdicts share one: those of both windows, of the anchor only, of now only.
    """
    gone, new = of_one(anchor, now)
    size = len(gone)
    counts = [sums(side.segment, side.known.astype(np.float64), size) for side in (anchor, now)]
    enough = (np.minimum(*counts) >= 2) & ~gone & ~new
    place = np.full(size, int(enough.sum()))
    place[enough] = np.arange(int(enough.sum()))
    thin = ~enough & ~gone & ~new
    rest = [float(count[thin].sum()) for count in counts]
    if enough.any() and min(rest) < 2:
        place[~enough] = place[int(np.argmax(np.where(enough, np.minimum(*counts), -1.0)))]
    compared = int(place.max()) + 1
    for alone, count in ((gone, counts[0]), (new, counts[1])):
        _place_alone(place, alone, count)
    return place, np.arange(int(place.max()) + 1) < compared


def _place_alone(place: Integers, alone: Booleans, counts: Floats) -> None:
    """Give places of their own to segments of one window; without any verdict they stay where they were put."""
    many = alone & (counts >= 2)
    place[many] = int(place.max()) + 1 + np.arange(int(many.sum()))
    few = alone & (counts < 2)
    if counts[few].any():
        place[few] = int(place.max()) + 1


def left_out(kept: float, new: float) -> tuple[str, ...]:
    """The caveat of what `kept` of the anchor's traffic and all but `new` of that since say."""
    if kept >= 1.0 and new <= 0.0:
        return ()
    told = "segments that one window hardly has are left out"
    return (f"{told}: {1.0 - kept:.1%} of the anchor's traffic, {new:.1%} of that since",)
