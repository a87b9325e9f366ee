"""The recent course of a series, for the drawing on a page."""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.monitoring import Bucket, Sums

STRETCHES = 40
"""As many as the narrowest drawing has room for."""

_BEFORE = 0.5
"""Share of the drawing that shows the time before the fall, at least."""


def drawn_from(since: int, now: int, shortest: int) -> int:
    """Where a drawing of a fall begins: as long before the fall as after it, and at least `shortest` in all.

    All are nanoseconds.

    >>> drawn_from(since=900, now=1_000, shortest=50), drawn_from(since=990, now=1_000, shortest=100)
    (800, 900)
    """
    return min(since - round((now - since) * _BEFORE / (1.0 - _BEFORE)), now - shortest)


def course(buckets: Sequence[Bucket], begin: int, end: int, grain: int) -> tuple[float | None, ...]:
    """The weighted rate over each of at most 40 equal stretches of [begin, end), None where nothing was seen.

    No stretch is shorter than `grain`, the length of a bucket in nanoseconds.

    >>> rates = course([Bucket(0, Sums.of(1.0)), Bucket(1, Sums.of(0.0)), Bucket(79, Sums.of(0.25))], 0, 80, 1)
    >>> rates[0], rates[1], rates[-1], len(rates)
    (0.5, None, 0.25, 40)
    """
    return tuple(
        one.wx / one.w if one.w > 0 else None for one in parted(buckets, begin, end, grain, STRETCHES)
    )


def parted(buckets: Sequence[Bucket], begin: int, end: int, grain: int, most: int) -> list[Sums]:
    """What was seen in each of at most `most` equal stretches of [begin, end), none of them shorter than `grain`.

    >>> [one.n for one in parted([Bucket(0, Sums.of(1.0)), Bucket(9, Sums.of(0.0))], 0, 10, 1, 3)]
    [1, 0, 1]
    """
    count = max(1, min(most, (end - begin) // grain))
    sums = [Sums()] * count
    for bucket in buckets:
        place = (bucket.start - begin) * count // max(1, end - begin)
        if 0 <= place < count:
            sums[place] += bucket.sums
    return sums
