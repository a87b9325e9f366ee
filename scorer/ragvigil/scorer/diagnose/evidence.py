"""The records around an incident, as arrays: what is compared with what to find a cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.estimate.window import Booleans, Floats, Integers

MOST_VALUES = 60
"""Values of one dimension that are looked at, the most frequent ones; of ten thousand the rest is too thin to tell."""

MOST_RECORDS = 6_000
"""Records that are read of the time before, and again of the time since; and as many with a measured outcome."""

MARGIN = 7_200.0
"""Seconds before the onset that a detector believes in, from which on the onset is looked for."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One attribute of N records."""

    name: str
    values: tuple[str, ...]
    codes: Integers
    """Place of each record's value in `values`; -1 where it has none, or a rare one."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """N records in arrays of that length, in order of time. Build it with `evidence_of`."""

    time: Floats
    """Unix time, seconds."""
    outcome: Floats
    """In [0, 1], high is good; NaN where it was not measured."""
    inclusion: Floats
    """Probability in (0, 1] with which the outcome was to be measured, sampling before the scorer included."""
    cheap: Floats
    """Score in [0, 1] that every record has, NaN where it has none."""
    everyone: Booleans
    """Whether the record belongs to the uniform sample of all records; the others are here for their outcome."""
    conversation: Integers
    """Codes 0 … C-1; records of one code are not independent."""
    dimensions: tuple[Dimension, ...]

    @property
    def size(self) -> int:
        """N."""
        return len(self.time)


def evidence_of(
    *,
    time: Iterable[float],
    outcome: Iterable[float | None],
    inclusion: Iterable[float] | None = None,
    cheap: Iterable[float | None] | None = None,
    everyone: Iterable[bool] | None = None,
    conversation: Iterable[object] | None = None,
    attributes: Iterable[Mapping[str, str]] = (),
) -> Evidence:
    """The arrays of records in any order; `attributes` of each are its values by dimension.

    Raises ValueError for columns of different lengths, and for an outcome or a probability out of range.

    >>> evidence_of(time=[2, 1], outcome=[0, 1], attributes=[{"language": "de"}, {}]).dimensions[0].codes.tolist()
    [-1, 0]
    """
    times = np.fromiter(time, dtype=np.float64)
    size = len(times)
    order = np.argsort(times, kind="stable")
    marks = list(attributes) or [{}] * size
    names = np.arange(size) if conversation is None else _codes([str(one) for one in conversation])
    columns: dict[str, Floats] = {
        "outcome": _floats(outcome),
        "inclusion": np.ones(size) if inclusion is None else _floats(inclusion),
        "cheap": np.full(size, np.nan) if cheap is None else _floats(cheap),
        "everyone": np.ones(size) if everyone is None else _floats(everyone),
    }
    sizes = {name: len(column) for name, column in columns.items()}
    for name, length in {**sizes, "conversation": len(names), "attributes": len(marks)}.items():
        if length != size:
            raise ValueError(f"{name} has {length} entries, time has {size}")
    known = np.isfinite(columns["outcome"])
    if np.any((columns["outcome"][known] < 0.0) | (columns["outcome"][known] > 1.0)):
        raise ValueError("outcome must lie in [0, 1]")
    if np.any(known & ~((columns["inclusion"] > 0.0) & (columns["inclusion"] <= 1.0))):
        raise ValueError("inclusion must lie in (0, 1] where the outcome is known")
    return Evidence(
        times[order],
        columns["outcome"][order],
        columns["inclusion"][order],
        columns["cheap"][order],
        columns["everyone"][order] > 0.0,
        names[order],
        _dimensions([marks[place] for place in order]),
    )


def _dimensions(marks: list[Mapping[str, str]]) -> tuple[Dimension, ...]:
    return tuple(_dimension(name, marks) for name in sorted({name for mark in marks for name in mark}))


def _dimension(name: str, marks: list[Mapping[str, str]]) -> Dimension:
    counts: dict[str, int] = {}
    for mark in marks:
        if (value := mark.get(name)) is not None:
            counts[value] = counts.get(value, 0) + 1
    kept = sorted(counts, key=lambda value: (-counts[value], value))[:MOST_VALUES]
    place = {value: number for number, value in enumerate(kept)}
    codes = np.fromiter((place.get(mark.get(name, ""), -1) for mark in marks), dtype=np.int64)
    return Dimension(name, tuple(kept), codes)


def _floats(values: Iterable[float | None]) -> Floats:
    return np.fromiter((np.nan if value is None else value for value in values), dtype=np.float64)


def _codes(values: list[str]) -> Integers:
    return np.unique(np.array(values, dtype=object), return_inverse=True)[1].astype(np.int64).reshape(-1)
