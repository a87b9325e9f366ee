"""A stretch of traffic as arrays: what was seen of every record, and what the judge said of some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

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
    segment_names: NDArray[Any] | None = None
    """What was given for each code of `segment`, in order; None when the codes are those that were given."""

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
    `conversation`, every record is one of its own; without `segment`, there is one. Segments are small codes or any
    names; windows are compared by what was given. Give `n_traces` when the arrays hold only the judged records of a
    larger stretch.

    >>> window(verdict=[1, 0, -1, -1]).inclusion.tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    verdicts = whole_numbers("verdict", verdict)
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
    none = np.zeros(size, dtype=np.int64)
    segments, names = (none, None) if segment is None else _codes("segment", segment, size)
    return Window(
        verdicts,
        asked,
        chances,
        scores,
        np.arange(size) if conversation is None else _codes("conversation", conversation, size)[0],
        segments,
        total,
        names,
    )


def same_codes(one: Window, other: Window) -> tuple[Window, Window]:
    """Both windows with segment codes that mean the same; as they are where the codes are those that were given.

    Raises ValueError when one window has numbers for segments and the other names.
    """
    if one.segment_names is None and other.segment_names is None:
        return one, other
    given = [_names(side) for side in (one, other)]
    if len({names.dtype.kind in "biuf" for names in given if len(names)}) > 1:
        raise ValueError("segment is a number in one window and a name in the other; give both the same")
    names = np.unique(np.concatenate([each for each in given if len(each)]))
    of_one, of_other = (
        replace(side, segment=np.searchsorted(names, each)[side.segment], segment_names=names)
        for side, each in zip((one, other), given, strict=True)
    )
    return of_one, of_other


def _names(data: Window) -> NDArray[Any]:
    """What each segment code of a window stands for."""
    if data.segment_names is not None:
        return data.segment_names
    return np.arange(int(data.segment.max(initial=-1)) + 1)


def sums(code: Integers, values: Floats, size: int) -> Floats:
    """The sum of `values` by code 0 … size-1."""
    return np.bincount(code, weights=values, minlength=size).astype(np.float64)


def whole_numbers(name: str, values: ArrayLike) -> Integers:
    """Verdicts, labels or kinds as int64; raises ValueError that names them for a fraction or NaN, never cuts it off.

    >>> whole_numbers("verdict", [1.0, 0.0, -1.0]).tolist()
    [1, 0, -1]
    """
    given = np.asarray(values)
    if given.dtype.kind in "biu":
        return given.astype(np.int64)
    row = given.astype(np.float64)
    wrong = row[~(np.isfinite(row) & (row == np.floor(row)))]
    if wrong.size:
        raise ValueError(
            f"{name} must hold whole numbers, not {wrong[0]:g}: compare a score with its threshold first, "
            "and give -1 where there is none"
        )
    return row.astype(np.int64)


def _row(name: str, values: ArrayLike, size: int) -> Floats:
    row = np.asarray(values, dtype=np.float64)
    if row.shape != (size,):
        raise ValueError(f"{name} must be as long as verdict ({size}), not of shape {row.shape}")
    return row


def _codes(name: str, values: ArrayLike, size: int) -> tuple[Integers, NDArray[Any] | None]:
    """(codes, what each stands for); None for values that are small codes themselves."""
    row = np.asarray(values)
    if row.shape != (size,):
        raise ValueError(f"{name} must be as long as verdict ({size}), not of shape {row.shape}")
    if row.dtype.kind in "iu" and size and int(row.min()) >= 0 and int(row.max()) <= 4 * size + 1000:
        return row.astype(np.int64), None
    names, code = np.unique(row, return_inverse=True)
    return code.astype(np.int64).reshape(size), names
