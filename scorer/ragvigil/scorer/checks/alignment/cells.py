"""Cells: a claim about one row of a table beside what the table says in that row.

"Lite costs $12" has all its words and numbers in a table in which Lite costs $5 and Plus $12.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import chain, pairwise
from typing import TypeVar

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.rows import Row
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, content_of, stems_of, values, words

_FEWEST_ROWS = 3
"""Of a table, with its heads."""
_YES, _NO = (frozenset(OPPOSITES["cells"][one]) for one in ("yes", "no"))
"""What may be all of a cell, beside words that deny: no, never."""
_HAD = stems_of((*LEXICON.having, *LEXICON.lacking, *OPPOSITES["including"]))

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
    row = _named(rows, said)
    if row is None:
        return False
    if len(alike := [one for one in rows if one.named == row.named]) > 1:  # as of several years
        cells = chain.from_iterable(one.cells for one in alike)
        return _stand_in_others(claim, [*cells, *head.cells], table, evidence)
    column = _only([(at, content_of(cell)) for at, cell in enumerate(head.cells) if at > row.naming], said)
    if column is not None and column < len(row.cells) and _denied(row.cells[column], denying=denies(claim)):
        return True
    right = row.cells
    if column is not None and sum(bool(word.numbers) for word in claim) == 1:
        right = _told_by(claim, row, column, content_of(head.cells[column]))
    return _stand_in_others(claim, [*right, *head.cells], table, evidence)


def _named(rows: Sequence[Row], said: Set[str]) -> Row | None:
    """The only row that a claim with the stems `said` names, or the only one by its first cell alone."""
    by_name = _only([(one, one.named) for one in rows], said)
    return by_name or _only([(one, content_of(one.cells[0])) for one in rows if one.naming], said)


def _told_by(claim: Sequence[Word], row: Row, column: int, named: frozenset[str]) -> list[str]:
    """The cells of `row` that the one number of `claim` may be of, which names a `column` by the stems `named`.

    Where it counts what the column tells, that is its cell, else also one that names the same, as "$12 a seat" does in
    a table of seats. It may be any one where the column's cell has no number, or the claim says "with" or "without" of
    it: "80 euros with breakfast".
    """
    own, told = row.cells[: row.naming + 1], row.cells[column : column + 1]
    if any(one.numbers and other.stem in named for one, other in pairwise(claim)):
        return [*own, *told]
    if not any(values(words(cell)) for cell in told) or _is_had(claim, named):
        return row.cells
    return [*own, *told, *(cell for cell in row.cells[1:] if named <= content_of(cell))]


def _is_had(claim: Sequence[Word], named: frozenset[str]) -> bool:
    """Whether "with", "without" or "including" stands right before one of the stems `named`."""
    return any(one.stem in _HAD and other.stem in named for one, other in pairwise(claim))


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
    if denying:
        return cell.casefold() in _YES
    told = words(cell)
    return cell.casefold() in _NO or (bool(told) and all(word.negation for word in told))


def _only(named: Sequence[tuple[T, frozenset[str]]], said: Set[str]) -> T | None:
    """The one whose stems are all `said`, or the one with the most of them; None where there are others."""
    found = [(one, stems) for one, stems in named if stems and stems <= said]
    if not found:
        return None
    longest = max(found, key=lambda one: len(one[1]))
    return longest[0] if all(stems <= longest[1] for _, stems in found) else None
