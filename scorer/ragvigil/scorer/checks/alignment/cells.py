"""Cells: a claim about one row of a table beside what the table says in that row.

"Lite costs $12" has all its words and numbers in a table in which Lite costs $5 and Plus $12.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TypeVar

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.rows import Row, content_of
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, values, words

_FEWEST_ROWS = 3
"""Of a table, with its heads."""
_NO = frozenset(
    ("no", "nein", "não", "non", "nee", "nie", "✗", "✘", "❌", "\u00d7", "x", "-", "\u2013", "\u2014")
)
_YES = frozenset(("yes", "ja", "sí", "sim", "oui", "sì", "tak", "✓", "✔", "✅"))

T = TypeVar("T")


def is_misplaced(claim: Sequence[Word], best: Segment, place: int, evidence: Evidence) -> bool:
    """Whether `claim` tells of one row of a table what stands in another one; `best`, segment `place`, is a row.

    So it is where it names one row by its first cell and a number of others only, or a row and a column in which the
    table has another number than its only one, or a no for what it affirms, or a yes for what it denies.

    >>> from ragvigil.scorer.trace import Document
    >>> table = "| Plan | Users | SSO |\\n|---|---|---|\\n| Basic | 3 | No |\\n| Pro | 10 | Yes |"
    >>> plans = Evidence([Document("a", table)])
    >>> texts = ("Basic has 10 users.", "Pro has 10 users.", "Basic has SSO.", "Basic has no SSO.")
    >>> [is_misplaced(words(text), plans.segments[1], 1, plans) for text in texts]
    [True, False, True, False]
    """
    if best.span is None or not best.text.startswith("|", best.span[0]):
        return False  # as nearly always
    table = evidence.tables.get(place, [])
    if len(table) < _FEWEST_ROWS:
        return False
    head, *rows = table
    said = {word.stem for word in claim}
    row = _only([(one, one.named) for one in rows], said)
    if row is None:
        return False
    column = _only([(at, content_of(cell)) for at, cell in enumerate(head.cells) if at], said)
    if column is not None and column < len(row.cells) and _denied(row.cells[column], denying=denies(claim)):
        return True
    right = row.cells
    if column is not None and sum(bool(word.numbers) for word in claim) == 1:
        right = [
            row.cells[0],
            *row.cells[column : column + 1],
            *_rates(claim, row, content_of(head.cells[column])),
        ]
    return _stand_in_others(claim, [*right, *head.cells], table, evidence)


def _rates(claim: Sequence[Word], row: Row, column: frozenset[str]) -> list[str]:
    """The cells that name what `column` counts, as "$12 a seat" does in a table of seats, unless `claim` counts it."""
    if any(one.numbers and other.stem in column for one, other in pairwise(claim)):
        return []
    return [cell for cell in row.cells[1:] if column <= content_of(cell)]


def _stand_in_others(
    claim: Sequence[Word], right: Sequence[str], table: Sequence[Row], evidence: Evidence
) -> bool:
    """Whether a number of `claim` stands in the `table` and nowhere else, and not in the cells `right`."""
    here = {value for cell in right for value in chain.from_iterable(values(words(cell)))}
    within = {one.place for one in table}
    found = (
        evidence.places.get(word.stem, ()) for word in claim if word.numbers and here.isdisjoint(word.numbers)
    )
    return any(places and within.issuperset(places) for places in found)


def _denied(cell: str, *, denying: bool) -> bool:
    """Whether a cell says no where the claim is not `denying`, or yes where it is."""
    return cell.casefold() in (_YES if denying else _NO)


def _only(named: Sequence[tuple[T, frozenset[str]]], said: set[str]) -> T | None:
    """The one whose stems are all `said`, or the one with the most of them; None where there are others."""
    found = [(one, stems) for one, stems in named if stems and stems <= said]
    if not found:
        return None
    longest = max(found, key=lambda one: len(one[1]))
    return longest[0] if all(stems <= longest[1] for _, stems in found) else None
