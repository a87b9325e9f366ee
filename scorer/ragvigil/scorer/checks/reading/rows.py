"""Rows of the tables in the passages, each with its cells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import content_of, words

_MOST_ROWS = 1000
"""Of a table; the others belong to none."""


class Row(NamedTuple):
    """One row of a table."""

    place: int
    """Which segment it is."""
    cells: list[str]
    named: frozenset[str]
    """The meaningful stems of the cell that names it, or all that it has."""
    naming: int
    """Which cell that is: the first one, or the one behind a number of the row."""


def tables_of(segments: Iterable[Segment]) -> dict[int, list[Row]]:
    """By segment the table of which it is a row: the rows of more than one cell, the heads first.

    >>> from ragvigil.scorer.checks.reading.evidence import Evidence
    >>> from ragvigil.scorer.trace import Document
    >>> plans = Evidence([Document("a", "Plans:\\n\\n| Plan | Users |\\n|---|---|\\n| Basic | 3 |")])
    >>> [row.cells for row in plans.tables[1]], 0 in plans.tables
    ([['Plan', 'Users'], ['Basic', '3']], False)
    """
    found: dict[int, list[Row]] = {}
    table: list[Row] = []
    passage = last = -1
    for place, segment in enumerate(segments):
        if segment.span is None or not segment.text.startswith("|", segment.span[0]):
            continue
        if place != last + 1 or segment.passage != passage or len(table) >= _MOST_ROWS:
            table = []
        passage, last = segment.passage, place
        found[place] = table
        cells = _cells(segment.sentence)
        if len(cells) > 1:
            naming = int(cells[0].removeprefix("#").isdecimal())
            name = cells[naming]
            table.append(Row(place, cells, content_of(name) or _stems_of(name), naming))
    return found


def _stems_of(cell: str) -> frozenset[str]:
    """The stems of its words, numbers and negations aside: a plan may be called Plus."""
    return frozenset(word.stem for word in words(cell) if not (word.numbers or word.negation))


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")]
