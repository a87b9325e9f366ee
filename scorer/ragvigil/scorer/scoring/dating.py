"""Which moment a record is of: the one that its spans tell, or the one at which it came where that cannot be right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ragvigil.scorer.moments import AHEAD, YEAR_2000, unit_told
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace


def dated(record: RagTrace, received_at: int) -> RagTrace:
    """A record whose spans do not say when they were, or cannot be right, is of the moment at which they came.

    Before the year 2000 nobody traced; a day ahead is more than a forgotten time zone. Durations in another unit than
    nanoseconds are unknown. `received_at`: Unix nanoseconds, 0 where nobody says: then it stays as it is.
    """
    if not received_at or not (record.started_at == 0 or _is_wrong(record.started_at, received_at)):
        return record
    if unit_told(record.started_at, received_at) is not None:
        record = replace(record, total_seconds=None, retrieval_seconds=None, generation_seconds=None)
    return replace(record, started_at=received_at)


def misdated(spans: Iterable[Span], records: Iterable[RagTrace], received_at: int) -> int | None:
    """The moment that spans tell and cannot be right, Unix nanoseconds; None where records go by another.

    `records` are as read, not yet dated.
    """
    told = next((one.started_at for one in records if _is_wrong(one.started_at, received_at)), None)
    if told is not None or all(record.started_at for record in records):
        return told
    return next((span.start for span in spans if _is_wrong(span.start, received_at)), None)


def _is_wrong(moment: int, received_at: int) -> bool:
    """Whether a moment that is told cannot be right; a clock before 2000 of our own knows of no other."""
    return received_at >= YEAR_2000 and moment > 0 and not YEAR_2000 <= moment <= received_at + AHEAD
