"""The stretch of traffic that a scorer's store holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.simulate.stretch import Integers, Stretch, filled
from ragvigil.scorer.simulate.world import Floats
from ragvigil.scorer.store import reading_history
from ragvigil.scorer.watch.port import Place, Seen
from ragvigil.scorer.watch.segments import Book

LEAST_JUDGED = 100
"""Verdicts in the stretch; with fewer, what the others would have been is a guess."""
LEAST_A_DAY = 100.0
"""Records a day."""
MOST_WEEKS = 4


def busiest(connection: sqlite3.Connection) -> Place:
    """The service and environment with the most records.

    Raises:
        InputError: the store is empty.
    """
    counts = connection.execute(
        "SELECT service, environment, count(*) FROM records GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 1"
    ).fetchone()
    if counts is None:
        raise InputError(
            "--replay", "the store holds no records: let a scorer run on traffic for a day first"
        )
    return Place(counts[0], counts[1] or None)


def stretch_of(connection: sqlite3.Connection, place: Place, *, segments: int = 12) -> Stretch:
    """The newest whole weeks (at most four) of a service, or whole days where there is no week.

    Who is judged, and by which judge, is read as the sequential detectors read it: an answer without claims is not for
    the judge, and verdicts of another version than the commonest are no verdicts. Segments are found as they are in
    the running scorer; what has no series of its own is one more segment. A conversation that goes on past midnight
    (of the stretch's days) is two.

    Raises:
        InputError: less than a day of history, too few records or verdicts, or verdicts that are all alike.
    """
    first, last = _ends(connection, place)
    whole = (last + 1 - first) // DAY
    if whole < 1:
        hours = (last - first) / 3600e9
        raise InputError(
            "--replay", f"{place.service} has {hours:.1f} hours of records: a day at least is repeated"
        )
    days = min(whole // 7, MOST_WEEKS) * 7 or whole
    begin = last + 1 - days * DAY
    read = _Columns(segments)
    for day in range(days):
        since = begin + day * DAY
        read.add(reading_history.seen(connection, place, since, since + DAY), begin, since + DAY)
    return read.stretch(place, days)


def _ends(connection: sqlite3.Connection, place: Place) -> tuple[int, int]:
    row = connection.execute(
        "SELECT min(started_at), max(started_at) FROM records WHERE service = ? AND environment = ?",
        (place.service, place.environment or ""),
    ).fetchone()
    if row[0] is None:
        raise InputError("--replay", f"the store holds no records of {place.service}")
    return int(row[0]), int(row[1])


class _Columns:
    """Records day by day, so that a month of them need not be held as rows."""

    def __init__(self, segments: int) -> None:
        self._book = Book(segments)
        self._kinds: dict[str, int] = {}
        self._versions: dict[str, int] = {}
        self._conversations = 0
        self._parts: list[Floats] = []

    def add(self, rows: Sequence[Seen], begin: int, end: int) -> None:
        """Take the records of a day that ends at `end`, of a stretch that began at `begin` (Unix nanoseconds)."""
        self._book.learn([row.segment for row in rows], at=end)
        part = np.array([*self._numbers(rows, begin)], dtype=np.float64).reshape(len(rows), 8)
        part[:, 2] += self._conversations
        self._conversations += len({row.conversation for row in rows})
        self._parts.append(part)

    def _numbers(self, rows: Iterable[Seen], begin: int) -> Iterator[tuple[float | None, ...]]:
        for row in rows:
            claims = row.state != "judged" or row.passed is not None
            yield (
                (row.started_at - begin) / 1e9,
                self._kinds.setdefault(row.segment, len(self._kinds)),
                row.conversation,
                row.cheap if claims else None,
                row.citation_ok,
                row.documents,
                -1 if row.passed is None else row.passed,
                -1 if row.judge is None else self._versions.setdefault(row.judge, len(self._versions)),
            )

    def stretch(self, place: Place, days: int) -> Stretch:
        """All of them in columns, with a verdict for each that a judge could be asked about."""
        time, kind, conversation, cheap, citation, documents, passed, version = np.concatenate(self._parts).T
        if time.size < LEAST_A_DAY * days:
            raise InputError(
                "--replay",
                f"{place.service} has {time.size} records in {days} days: {LEAST_A_DAY:.0f} a day are needed",
            )
        counts = np.bincount(version[version >= 0.0].astype(np.int64), minlength=1)
        judged = np.isfinite(cheap) & (passed >= 0.0) & (version == float(np.argmax(counts)))
        verdicts = np.where(judged, passed, -1.0).astype(np.int64)
        _check(place, verdicts[judged])
        segment, names = self._segments(kind.astype(np.int64))
        return Stretch(
            days,
            time,
            segment,
            conversation.astype(np.int64),
            cheap,
            citation,
            documents,
            filled(segment, cheap, verdicts),
            names,
            int(np.count_nonzero(judged)),
        )

    def _segments(self, kind: Integers) -> tuple[Integers, tuple[str, ...]]:
        codes = np.array([self._book.code(text) for text in self._kinds], dtype=np.int64)[kind]
        known, segment = np.unique(np.where(codes < 0, self._book.given, codes), return_inverse=True)
        return segment.astype(np.int64), tuple(self._book.name(int(code)) or "other" for code in known)


def _check(place: Place, verdicts: Integers) -> None:
    if verdicts.size < LEAST_JUDGED:
        raise InputError(
            "--replay",
            f"{place.service} has {verdicts.size} judged records with a cheap score: {LEAST_JUDGED} at least say "
            "what the judge would have said of the others (judge.kind, sample.rate)",
        )
    if verdicts.min() == verdicts.max():
        said = "passed" if verdicts[0] else "failed"
        raise InputError("--replay", f"the judge {said} every record of {place.service}: nothing can be told")
