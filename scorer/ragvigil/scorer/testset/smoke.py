"""A small part of a test set for every pull request: the same rows each time, of every kind."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from ragvigil.scorer.testset.lint import kind_of
from ragvigil.scorer.testset.row import Row

SIZE = 50


def smoke(rows: Sequence[Row], size: int = SIZE) -> list[Row]:
    """At most `size` rows, from each kind and intent in proportion, in the order of the set.

    Which ones is a hash of the query_id: another order changes nothing, and a new row takes the place of few. Seats go
    to whichever stratum is owed most, with one for every stratum as long as there are so many.

    >>> rows = [Row(query_id=str(n), query="?", intent="ab"[n % 2]) for n in range(10)]
    >>> len(smoke(rows, 4)), smoke(rows, 4) == [row for row in rows if row in smoke(rows[::-1], 4)]
    (4, True)
    """
    if size >= len(rows):
        return list(rows)
    strata: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        strata.setdefault((kind_of(row) or "", row.intent), []).append(row)
    names = sorted(strata, key=lambda name: (-len(strata[name]), name))
    seats = _seats([len(strata[name]) for name in names], size)
    chosen = {
        row.query_id
        for name, count in zip(names, seats, strict=True)
        for row in sorted(strata[name], key=_place)[:count]
    }
    return [row for row in rows if row.query_id in chosen]


def _place(row: Row) -> str:
    return hashlib.sha256(b"ragvigil:smoke:v1\0" + row.query_id.encode()).hexdigest()


def _seats(sizes: Sequence[int], seats: int) -> list[int]:
    """Seats for each stratum, largest strata first; none has more than rows.

    >>> _seats([80, 15, 5], 10), _seats([5, 4, 3], 2)
    ([8, 1, 1], [1, 1, 0])
    """
    given = [1 if place < seats else 0 for place in range(len(sizes))]
    total = sum(sizes)
    while sum(given) < seats:
        owed = (seats * size / total - have for size, have in zip(sizes, given, strict=True))
        place = _largest(owed, [have < size for have, size in zip(given, sizes, strict=True)])
        given[place] += 1
    return given


def _largest(values: Iterable[float], allowed: Sequence[bool]) -> int:
    return max((value, -place) for place, value in enumerate(values) if allowed[place])[1] * -1
