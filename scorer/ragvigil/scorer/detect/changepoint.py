"""When a series changed: the most likely split of its buckets into two rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect.stretches import total
from ragvigil.scorer.estimate import rate
from ragvigil.scorer.monitoring import Bucket, Sums

_Floats = npt.NDArray[np.float64]

SURE_GAIN = 9.0
"""Log-likelihood (nats) that a split must add before it counts as a change. In simulation (50,000
observations, a look every ten minutes) smaller values take a lucky run during a fault for its end."""


@dataclass(frozen=True, slots=True)
class Split:
    """The best place to cut a series in two."""

    index: int
    """Position of the first bucket of the later part."""
    gain: float
    """How much likelier (nats) two rates make the counts than one."""


@dataclass(frozen=True, slots=True)
class Level:
    """The stretch since a series last changed."""

    since: int
    """Start of its first bucket, nanoseconds."""
    sums: Sums


def split(
    buckets: Sequence[Bucket], *, before: Sums | None = None, least: int = 1, falling: bool = False
) -> Split | None:
    """The maximum-likelihood split into two binomial rates; None when no split is allowed.

    Each bucket enters with its share of the effective number of observations. `before` is put in front of
    all buckets and cannot be cut; the later part keeps at least `least` observations; with `falling` its
    rate must be the lower one.

    >>> from ragvigil.scorer.monitoring import Sums
    >>> good, bad = Sums(10, 10, 9, 10, 9, 9), Sums(10, 10, 2, 10, 2, 2)
    >>> split([Bucket(at, good if at < 7 else bad) for at in range(10)]).index
    7
    """
    counts, passes, observed = _effective_counts(buckets, before)
    if counts.size < 2:
        return None
    left_n, left_k = np.cumsum(counts)[:-1], np.cumsum(passes)[:-1]
    right_n, right_k = counts.sum() - left_n, passes.sum() - left_k
    gain = _likelihood(left_k, left_n) + _likelihood(right_k, right_n)
    gain -= _likelihood(passes.sum(keepdims=True), counts.sum(keepdims=True))
    allowed = (observed.sum() - np.cumsum(observed)[:-1] >= least) & (left_n > 0.0)
    if falling:
        allowed &= right_k * left_n < left_k * right_n
    if not allowed.any():
        return None
    best = int(np.argmax(np.where(allowed, gain, -np.inf)))
    return Split(best + 1 if before is None else best, float(gain[best]))


def current_level(buckets: Sequence[Bucket], *, least: int) -> Level | None:
    """The stretch since the last sure change, with at least `least` observations; None without buckets.

    The later part is split again and again (binary segmentation) until no split gains enough, so that the
    bad stretch of an incident does not weigh on what came after it.
    """
    if not buckets:
        return None
    start = 0
    while (found := split(buckets[start:], least=least)) is not None and found.gain >= SURE_GAIN:
        start += found.index
    return Level(buckets[start].start, total(buckets[start:]))


def _effective_counts(buckets: Sequence[Bucket], before: Sums | None) -> tuple[_Floats, _Floats, _Floats]:
    """Observations and passes of each bucket on the effective scale, and observations as counted."""
    sums = [bucket.sums for bucket in buckets] if before is None else [before, *(b.sums for b in buckets)]
    whole = total(buckets)
    estimate = rate(whole if before is None else whole + before)
    table = np.array([(part.n, part.w, part.wx) for part in sums], dtype=np.float64).reshape(-1, 3)
    table = np.maximum(table, 0.0)
    weight = table[:, 1].sum()
    if weight <= 0.0:
        return table[:0, 1], table[:0, 2], table[:0, 0]
    scale = (estimate.n_effective if estimate else table[:, 0].sum()) / weight
    return table[:, 1] * scale, np.minimum(table[:, 2], table[:, 1]) * scale, table[:, 0]


def _likelihood(passes: _Floats, counts: _Floats) -> _Floats:
    """Binomial log-likelihood at its own maximum, k ln(k/n) + (n - k) ln((n - k)/n), with 0 ln 0 = 0."""
    fails = np.maximum(counts - passes, 0.0)
    return _entropy(passes, counts) + _entropy(fails, counts)


def _entropy(part: _Floats, whole: _Floats) -> _Floats:
    inside = (part > 0.0) & (whole > 0.0)
    share = np.divide(part, whole, out=np.ones_like(part), where=inside)
    return part * np.log(share)
