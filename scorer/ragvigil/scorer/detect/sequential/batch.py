"""What goes into a monitor and what comes out: a batch of traces, an alert."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

_COLUMNS = ("time", "segment", "conversation", "cheap", "citation_ok", "document_count")
"""Of a `Batch`, those that planning knows already."""
Metric = Literal["faithfulness", "citation", "retrieval", "judge", "cheap", "traffic"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Traces of one stretch of time, in no order. All arrays have one length, 0 included.

    While planning, `judged`, `verdict` and `inclusion_probability` are None.
    """

    start: float
    """Seconds."""
    end: float
    """Seconds."""
    time: npt.NDArray[np.generic]
    """Seconds, of each trace; may lie outside [start, end) for what came late."""
    segment: npt.NDArray[np.generic]
    """Code of the segment."""
    conversation: npt.NDArray[np.generic]
    """Code of the conversation; turns of one conversation are not independent. NaN where unknown: one of its own."""
    cheap: npt.NDArray[np.generic]
    """A score in [0, 1] that every trace has, high for faithful; NaN where it is unknown."""
    citation_ok: npt.NDArray[np.generic]
    """1 where the citations parse and resolve, 0 where not, NaN where there is nothing to say."""
    document_count: npt.NDArray[np.generic]
    """Retrieved passages; negative or NaN where unknown."""
    judged: npt.NDArray[np.generic] | None = None
    """Whether the trace was chosen for the judge."""
    verdict: npt.NDArray[np.generic] | None = None
    """1 passed, 0 not, -1 not judged or no verdict."""
    inclusion_probability: npt.NDArray[np.generic] | None = None
    """The probability with which the trace was chosen, as it really was, whether chosen or not."""
    judge_version: str = ""
    """Whatever tells one judge from another: model, prompt, settings."""


@dataclass(frozen=True, slots=True)
class Alert:
    """A page wakes somebody up; a ticket is read in the morning."""

    time: float
    """End of the batch that decided it, seconds."""
    kind: Literal["page", "ticket"]
    metric: Metric
    segment: int | None
    """Code of the segment, `settings.segments` for `other`; None for all traffic."""
    evidence: Mapping[str, float | str] = field(default_factory=dict[str, float | str])
    """The numbers behind it."""


@dataclass(frozen=True, slots=True)
class Traces:
    """A batch as the monitor reads it: checked, typed, unknown scores put at the baseline's middle."""

    time: Floats
    slot: Integers
    """Segment code, or `segments` for every code outside 0 to segments - 1."""
    conversation: Integers
    """Codes from 0 on, in the order of those given."""
    cheap: Floats
    known_cheap: Booleans
    citation_bad: Floats
    """1 bad, 0 good, NaN unknown."""
    empty: Floats
    """1 nothing retrieved, 0 something, NaN unknown."""

    def __len__(self) -> int:
        return int(self.time.size)

    def conversations(self, slots: int) -> tuple[Integers, Integers]:
        """(a trace of each conversation, the conversation of each trace); one per segment that it visits."""
        _, first, index = np.unique(
            self.conversation * slots + self.slot, return_index=True, return_inverse=True
        )
        return first, index


def read_traces(batch: Batch, segments: int) -> Traces:
    """The columns of `batch` that planning knows already.

    Raises:
        ValueError: columns of different lengths or with values that cannot be, or a batch that ends before it starts.
    """
    for name, moment in (("start", batch.start), ("end", batch.end)):
        if np.ndim(moment) or np.asarray(moment).dtype.kind not in "iuf":
            raise ValueError(f"Batch.{name} is {moment!r}: give seconds as a number")
    if not (np.isfinite(batch.start) and np.isfinite(batch.end) and batch.end >= batch.start):
        raise ValueError(
            f"Batch.end is {batch.end}, its start {batch.start}: give finite seconds, end not before start"
        )
    for name in _COLUMNS:
        if getattr(batch, name) is None:
            raise ValueError(f"Batch.{name} is None: give an array, NaN where a value is unknown")
    size = np.size(batch.time)
    known_later = ("judged", "verdict", "inclusion_probability")
    for name in (*_COLUMNS, *known_later):
        column = getattr(batch, name)
        if column is not None and np.shape(column) != (size,):
            raise ValueError(
                f"Batch.{name} has shape {np.shape(column)}: give one value per trace, here ({size},)"
            )
    _check_later(batch)
    time = _floats("time", batch.time)
    time = np.where(np.isfinite(time), time, batch.end)
    code = np.nan_to_num(
        _numbers("segment", batch.segment).astype(np.float64), nan=-1.0, posinf=-1.0, neginf=-1.0
    )
    slot = np.where((code >= 0) & (code < segments), code, segments).astype(np.int64)
    cheap = _floats("cheap", batch.cheap)
    known = np.isfinite(cheap)
    cheap = np.clip(np.where(known, cheap, 0.5), 0.0, 1.0)
    citation = _floats("citation_ok", batch.citation_ok)
    documents = _floats("document_count", batch.document_count)
    return Traces(
        time,
        slot,
        _conversations(batch.conversation),
        cheap,
        known,
        np.where(np.isfinite(citation) & (citation >= 0.0), (citation < 0.5).astype(np.float64), np.nan),
        np.where(np.isfinite(documents) & (documents >= 0.0), (documents == 0.0).astype(np.float64), np.nan),
    )


def _check_later(batch: Batch) -> None:
    """Refuse choices, verdicts and probabilities that cannot be; NaN is unknown."""
    if batch.judged is not None:
        chosen = _floats("judged", batch.judged)
        wrong = chosen[~np.isin(chosen, (0.0, 1.0))]
        if wrong.size:
            raise ValueError(
                f"Batch.judged holds {wrong[0]:g}: give True where it was chosen, False where not"
            )
    for name, column, low, high, fix in (
        ("verdict", batch.verdict, -1.0, 1.0, "1 for passed, 0 for not, -1 for no verdict"),
        ("inclusion_probability", batch.inclusion_probability, 0.0, 1.0, "shares from 0 to 1"),
    ):
        values = np.zeros(0) if column is None else _floats(name, column)
        wrong = values[(values < low) | (values > high)]
        if wrong.size:
            raise ValueError(f"Batch.{name} holds {wrong[0]:g}: give {fix}")


def _numbers(name: str, column: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """The column as it is, when it holds numbers."""
    values = np.asarray(column)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"Batch.{name} holds {values.dtype}: give numbers, codes where there are names")
    return values


def _conversations(column: npt.NDArray[np.generic]) -> Integers:
    """Codes from 0 on, so that no code of the caller's is too large; what is unknown is a conversation of its own."""
    values = _numbers("conversation", column)
    known = np.isfinite(values)
    _, code = np.unique(values[known], return_inverse=True)
    found = np.empty(values.size, np.int64)
    found[known] = code
    found[~known] = code.size + np.arange(values.size - code.size)
    return found


def _floats(name: str, column: npt.NDArray[np.generic]) -> Floats:
    """The column as floats; None is unknown."""
    values = np.asarray(column)
    if values.dtype.kind == "O":
        try:
            return values.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"Batch.{name} holds what is no number: give numbers, NaN where unknown"
            ) from None
    return _numbers(name, values).astype(np.float64)


def sum_by(slot: Integers, values: Floats | Booleans | Integers, size: int) -> Floats:
    """(size,) sum of `values` at each index in `slot`."""
    return np.bincount(slot, values, size).astype(np.float64)


def count_by(slot: Integers, size: int) -> Floats:
    """(size,) how often each index is in `slot`."""
    return np.bincount(slot, minlength=size).astype(np.float64)
