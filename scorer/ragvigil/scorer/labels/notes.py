"""What people noted while they read: categories of failures, counted. Pure.

Error analysis (read traces, write what is wrong, group what was written, count the groups) comes before any metric of
one's own: a category that is common is worth a criterion of the judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.estimate.figure import Figure, mean
from ragvigil.scorer.estimate.window import Floats

_CATEGORY = re.compile(r"(?<!\w)#(\w[\w-]{0,40})")
UNSORTED = "(no category)"


@dataclass(frozen=True, slots=True)
class Note:
    """What one person wrote of one answer."""

    record_id: int
    trace_id: str
    query: str | None
    annotator: str
    label: str
    text: str
    """Empty where nothing was noted: the answer was read all the same."""
    inclusion: float | None
    """Probability with which the answer came to be read; None where nobody drew it."""


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of failure, as people named it with ``#name`` in their notes."""

    name: str
    answers: int
    people: int
    share: Figure
    """Of all judged answers of the stretch that the draws stand for."""
    notes: tuple[Note, ...]
    """In the order in which they came."""


def categories_in(text: str) -> tuple[str, ...]:
    """The categories that a note names, lower case, each once.

    >>> categories_in("answers about the old fee #Stale-Source, cites #4 #stale-source")
    ('stale-source', '4')
    """
    return tuple(dict.fromkeys(name.lower() for name in _CATEGORY.findall(text)))


def counted(notes: Sequence[Note]) -> tuple[Category, ...]:
    """Categories by how many answers they are on, what has none last; shares are over all answers that were read."""
    read = list(dict.fromkeys(one.record_id for one in notes))
    chance = {one.record_id: one.inclusion for one in notes}
    weight = _weight([chance[record] for record in read])
    groups: dict[str, list[Note]] = {}
    for one in notes:
        for name in categories_in(one.text) or ((UNSORTED,) if one.text else ()):
            groups.setdefault(name, []).append(one)
    found = [_category(name, own, read, weight) for name, own in groups.items()]
    return tuple(sorted(found, key=lambda one: (one.name == UNSORTED, -one.answers, one.name)))


def _weight(chances: Sequence[float | None]) -> Floats | None:
    """What each answer stands for in the traffic; None where nobody drew some of them."""
    if None in chances:
        return None
    return np.array([1.0 / one if one else 1.0 for one in chances], dtype=np.float64)


def _category(name: str, notes: Sequence[Note], read: Sequence[int], weight: Floats | None) -> Category:
    own = {one.record_id for one in notes}
    share = mean(
        name,
        np.array([float(record in own) for record in read]),
        np.arange(len(read)),
        weight=np.ones(len(read)) if weight is None else weight,
        note="of what was read" if weight is None else "of traffic",
    )
    people = len({one.annotator for one in notes})
    return Category(name, len(own), people, share, tuple(notes))
