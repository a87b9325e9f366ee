"""Misread values: a number that stands in the evidence, but with another unit, scale or month than in a claim.

A judge of shared words finds "16 months" in "16 weeks" but for one word, and every number of "31 May" in "31 March".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import chain, pairwise

from ragvigil.scorer.checks.alignment.days import MONTH_STEMS
from ragvigil.scorer.checks.alignment.swaps import SCALES, UNIT_STEMS, UNITS, counted, parts_of
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import expressions
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, words

_MEASURED = UNIT_STEMS | MONTH_STEMS | frozenset(word.stem for name in SCALES for word in words(name))
_MOST_SENTENCES = 50

_Told = Mapping[tuple[str, str], set[object]]
"""For a number and what kind of thing it tells: which units, powers of ten or months stand with it."""


def is_misread(claim: Sequence[Word], text: str, best: Segment, evidence: Evidence) -> bool:
    """Whether `claim`, the words of `text`, has a number of the `best` sentence with another unit or month.

    No sentence of the `evidence` that has the number may tell it as the claim does.

    >>> from ragvigil.scorer.trace import Document
    >>> leave = Evidence([Document("a", "Parents have 16 weeks of paid leave from 31 March.")])
    >>> texts = ("Leave is 16 months.", "Leave is 16 weeks.", "Leave begins on 31 May.", "Leave is paid.")
    >>> [is_misread(words(text), text, leave.segments[0], leave) for text in texts]
    [True, False, True, False]
    """
    if not _may_tell(claim):
        return False  # as mostly
    mine, theirs = _told(text), _told(_said(best))
    odd = {one: how for one, how in mine.items() if one in theirs and how.isdisjoint(theirs[one])}
    if not odd:
        return False
    stems = {word.stem for word in claim if word.numbers}
    places = set(chain.from_iterable(evidence.places.get(one, ()) for one in stems))
    if len(places) > _MOST_SENTENCES:
        return False
    others = [_told(_said(evidence.segments[place])) for place in places]
    return any(all(how.isdisjoint(told.get(one, ())) for told in others) for one, how in odd.items())


def _may_tell(claim: Sequence[Word]) -> bool:
    return any(
        (one.numbers and other.stem in _MEASURED) or (other.numbers and one.stem in MONTH_STEMS)
        for one, other in pairwise(claim)
    )


def _said(segment: Segment) -> str:
    return str(segment.value) if segment.span is None else segment.text[slice(*segment.span)]


def _told(text: str) -> _Told:
    parts = [_plain(LEXICON.number_words.get(part, part)) for part in parts_of(text)]
    found: dict[tuple[str, str], set[object]] = {}
    for number, units in counted(parts, UNITS).items():
        for kind, place in units:
            found.setdefault((number, kind), set()).add(place)
    for number, powers in counted(parts, SCALES).items():
        found.setdefault((number, "scale"), set()).update(powers)
    for one in expressions(text):
        for kind, day in one.meanings:
            if isinstance(day, date):
                found.setdefault((str(day.day), kind), set()).add(day.month)
    return found


def _plain(part: str) -> str:
    """A number without a fraction of nothing."""
    return part.rstrip("0").rstrip(".") if part[0].isdigit() and "." in part else part
