"""Records that late spans gave another span to stand for them: a generator after the root and the search."""

from __future__ import annotations

import sqlite3
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ragvigil.scorer.store._json import storable
from ragvigil.scorer.trace import RagTrace


class _Told(NamedTuple):
    """What a record says, by which it is known again."""

    span_id: str
    started_at: int
    query: str | None
    answer: str | None


_LIKENESS: tuple[Callable[[_Told], object], ...] = (
    lambda told: told.query and told.answer and (told.query, told.answer),
    lambda told: told.query,
    lambda told: told.answer,
    lambda told: True,  # noqa: ARG005 - nothing is alike
)
"""By what two are the same question, surest first; the last leaves it to their order in time."""


def follow(
    connection: sqlite3.Connection,
    trace_id: str,
    known: dict[str, sqlite3.Row],
    records: Sequence[RagTrace],
) -> None:
    """Give the records of the trace that are gone the spans of those that are new and most like them.

    Their versions, decisions and old scores go on. Changes `known`, the rows by span, and the tables alike.
    """
    kept = {record.span_id for record in records}
    gone = {span_id for span_id, row in known.items() if span_id not in kept and row["id"] is not None}
    new = [_told(record) for record in records if record.span_id not in known]
    if not gone or not new:
        return
    rows = connection.execute(
        "SELECT span_id, started_at, query, answer FROM records WHERE trace_id = ?", (trace_id,)
    )
    before = [told for row in rows if (told := _Told(*row)).span_id in gone]
    for old, fresh in _pairs(before, new):
        known[fresh] = known.pop(old)
        for table in ("records", "ledger"):
            connection.execute(
                f"UPDATE {table} SET span_id = ? WHERE trace_id = ? AND span_id = ?", (fresh, trace_id, old)
            )


def _told(record: RagTrace) -> _Told:
    query, answer = (None if text is None else storable(text) for text in (record.query, record.answer))
    return _Told(record.span_id, record.started_at, query, answer)


def _pairs(before: Sequence[_Told], after: Sequence[_Told]) -> Iterator[tuple[str, str]]:
    """Span ids of those that are the same question, before and after; each once, those alike in order of time."""
    for likeness in _LIKENESS:
        waiting = defaultdict[object, deque[_Told]](deque)
        for told in sorted(before, key=_by_time):
            waiting[likeness(told)].append(told)
        left: list[_Told] = []
        for told in sorted(after, key=_by_time):
            key = likeness(told)
            if key and waiting[key]:
                yield waiting[key].popleft().span_id, told.span_id
            else:
                left.append(told)
        before, after = [told for each in waiting.values() for told in each], left


def _by_time(told: _Told) -> tuple[int, str]:
    return told.started_at, told.span_id
