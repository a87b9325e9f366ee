"""A stretch of traffic as arrays: what was seen of every record, and what the judge said of some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

UNKNOWN = -1
"""A verdict that is not there: nobody was asked, or no answer came."""


@dataclass(frozen=True, slots=True)
class Window:
    """Records of one stretch, as arrays of one length N >= 0. Build it with `window`."""

    verdict: Integers
    """1 passed, 0 did not, -1 no verdict."""
    judged: Booleans
    """Who was asked for; judged without a verdict is a missing one."""
    inclusion: Floats
    """Probability in (0, 1] with which each record was to be judged, as stored before the verdict."""
    cheap: Floats | None
    """Cheap score in [0, 1] of every record, None where nobody computes one."""
    conversation: Integers
    """Codes 0 … C-1; records of one code are not independent."""
    segment: Integers
    """Codes 0 … H-1."""
    n_traces: int
    """Records in the stretch; more than N when only judged ones are given."""

    @property
    def size(self) -> int:
        """N."""
        return len(self.verdict)

    @property
    def complete(self) -> bool:
        """Whether the records that were not judged are here too."""
        return self.n_traces == self.size

    @property
    def known(self) -> Booleans:
        """Judged, and the verdict came."""
        return self.judged & (self.verdict >= 0)

    @property
    def missing(self) -> Booleans:
        """Judged, but no verdict came."""
        return self.judged & (self.verdict < 0)


def window(
    *,
    verdict: ArrayLike,
    judged: ArrayLike | None = None,
    inclusion: ArrayLike | None = None,
    cheap: ArrayLike | None = None,
    conversation: ArrayLike | None = None,
    segment: ArrayLike | None = None,
    n_traces: int | None = None,
) -> Window:
    """Check and complete the arrays of a stretch; raises ValueError that names the array and the fix.

    Without `judged`, whoever has a verdict was judged. Without `inclusion`, the sample was uniform. Without
    `conversation`, every record is one of its own; without `segment`, there is one. Give `n_traces` when the
    arrays hold only the judged records of a larger stretch.

    >>> window(verdict=[1, 0, -1, -1]).inclusion.tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    verdicts = np.asarray(verdict, dtype=np.int64)
    if verdicts.ndim != 1 or np.any((verdicts < UNKNOWN) | (verdicts > 1)):
        raise ValueError("verdict must be one row of 1 (passed), 0 (did not) and -1 (no verdict)")
    size = len(verdicts)
    total = size if n_traces is None else n_traces
    if total < size:
        raise ValueError(f"n_traces is {total}, but {size} records are given")
    asked = verdicts >= 0 if judged is None else _row("judged", judged, size).astype(np.bool_)
    if np.any((verdicts >= 0) & ~asked):
        raise ValueError("verdict is set where judged is not; give -1 there")
    uniform = max(int(asked.sum()), 1) / max(total, 1)
    chances = np.full(size, uniform) if inclusion is None else _row("inclusion", inclusion, size)
    if not np.all((chances[asked] > 0.0) & (chances[asked] <= 1.0)):
        raise ValueError("inclusion must lie in (0, 1] for every judged record")
    scores = None if cheap is None else _row("cheap", cheap, size)
    if scores is not None and not np.all(np.isfinite(scores)):
        raise ValueError("cheap must be finite; leave the array out when there are no scores")
    return Window(
        verdicts,
        asked,
        chances,
        scores,
        np.arange(size) if conversation is None else _codes("conversation", conversation, size),
        np.zeros(size, dtype=np.int64) if segment is None else _codes("segment", segment, size),
        total,
    )


def sums(code: Integers, values: Floats, size: int) -> Floats:
    """The sum of `values` by code 0 … size-1."""
    return np.bincount(code, weights=values, minlength=size).astype(np.float64)


def _row(name: str, values: ArrayLike, size: int) -> Floats:
    row = np.asarray(values, dtype=np.float64)
    if row.shape != (size,):
        raise ValueError(f"{name} must be as long as verdict ({size}), not of shape {row.shape}")
    return row


def _codes(name: str, values: ArrayLike, size: int) -> Integers:
    row = np.asarray(values)
    if row.shape != (size,):
        raise ValueError(f"{name} must be as long as verdict ({size}), not of shape {row.shape}")
    if row.dtype.kind in "iu" and size and int(row.min()) >= 0 and int(row.max()) <= 4 * size + 1000:
        return row.astype(np.int64)
    return np.unique(row, return_inverse=True)[1].astype(np.int64).reshape(size)
