"""Misread values: a number that stands in the evidence, but with another unit, scale or month than in a claim.

So is the fifth day where the evidence tells of the third one.

A judge of shared words finds "16 months" in "16 weeks" but for one word, and every number of "31 May" in "31 March".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import date
from itertools import chain, pairwise

from ragvigil.scorer.checks.alignment.days import MONTH_STEMS
from ragvigil.scorer.checks.alignment.swaps import SCALES, UNIT_STEMS, UNITS, counted, parts_of
from ragvigil.scorer.checks.alignment.values import has_a_sign
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import CURRENCIES, DAY, MONEY, expressions
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.ordinals import ORDINALS, places_told
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, stems_of, words

_SUM = "sum"
_BEFORE_A_NUMBER = MONTH_STEMS | stems_of(CURRENCIES)
_MEASURED = UNIT_STEMS | _BEFORE_A_NUMBER | stems_of(SCALES)
_ORDINAL_STEMS = stems_of(ORDINALS)
_TELLING = _MEASURED | _ORDINAL_STEMS
_TIMES = frozenset(name for name, (kind, _) in UNITS.items() if kind == "time")
"""Of these the evidence tells which one it is: of steps and floors it may name the first and then go on."""
_PLACE = "place"
_MOST_SENTENCES, _MOST_READ = 50, 1000

_Told = Mapping[tuple[str, str], set[object]]
"""For a number and what kind of thing it tells: which units, currencies, powers of ten or months stand with it."""


def is_misread(claim: Sequence[Word], text: str, best: Segment, evidence: Evidence) -> bool:
    """Whether `claim`, the words of `text`, has a number of the `best` sentence with another unit, currency or month.

    No sentence of the `evidence` that has the number may tell it as the claim does. A number that only other sentences
    have counts where all of them tell it of another unit, and the best one tells another number of the claim's.

    >>> from ragvigil.scorer.trace import Document
    >>> leave = Evidence([Document("a", "Parents have 16 weeks of paid leave from 31 March.")])
    >>> texts = ("Leave is 16 months.", "Leave is 16 weeks.", "Leave begins on 31 May.", "Leave is paid.")
    >>> [is_misread(words(text), text, leave.segments[0], leave) for text in texts]
    [True, False, True, False]
    """
    if not _may_tell(claim, text):
        return False  # as mostly
    mine = _told(text)
    if not mine:
        return False
    theirs = _told(best.told)
    odd = {one: how for one, how in mine.items() if one in theirs and how.isdisjoint(theirs[one])}
    left = {value for word in claim for value in word.numbers} - best.numbers
    far = {one: how for one, how in mine.items() if one[0] in left and _measures_so(theirs, one[1], how)}
    return (bool(odd) and _never_told_so(claim, odd, evidence)) or (
        bool(far) and _always_told_otherwise(far, evidence)
    )


def _never_told_so(claim: Sequence[Word], odd: _Told, evidence: Evidence) -> bool:
    """Whether no sentence that has a number of `claim` tells one of `odd` as that does."""
    stems = {word.stem for word in claim if word.numbers}
    stems.update(word.stem for thing, kind in odd if kind == _PLACE for word in words(thing))
    places = set(chain.from_iterable(evidence.places.get(one, ()) for one in stems))
    if len(places) > _MOST_SENTENCES:
        return False
    others = [_told(evidence.segments[place].told) for place in places]
    return any(all(how.isdisjoint(told.get(one, ())) for told in others) for one, how in odd.items())


def _always_told_otherwise(far: _Told, evidence: Evidence) -> bool:
    """Whether all sentences that have the number of one of `far` tell it of other units."""
    if len(evidence.segments) > _MOST_READ:
        return False
    wanted = {number for number, _ in far}
    held = [one for one in evidence.segments if not wanted.isdisjoint(one.numbers)]
    if len(held) > _MOST_SENTENCES:
        return False
    told = [(one.numbers, _told(one.told)) for one in held]
    return any(
        all(one in there and how.isdisjoint(there[one]) for numbers, there in told if one[0] in numbers)
        for one, how in far.items()
        if one[0] in evidence.numbers
    )


def _measures_so(told: _Told, kind: str, how: Set[object]) -> bool:
    """Whether any number is told of one of the units `how`."""
    return kind != _PLACE and any(one[1] == kind and not how.isdisjoint(there) for one, there in told.items())


def _may_tell(claim: Sequence[Word], text: str) -> bool:
    if has_a_sign(text):
        return True
    return not _TELLING.isdisjoint([word.stem for word in claim]) and any(
        (one.numbers and other.stem in _MEASURED)
        or (other.numbers and one.stem in _BEFORE_A_NUMBER)
        or one.stem in _ORDINAL_STEMS
        for one, other in pairwise(claim)
    )


def _told(text: str) -> _Told:
    parts = [_plain(LEXICON.number_words.get(part, part)) for part in parts_of(text)]
    found: dict[tuple[str, str], set[object]] = {}
    for number, units in counted(parts, UNITS).items():
        for kind, place in units:
            found.setdefault((number, kind), set()).add(place)
    for number, powers in counted(parts, SCALES).items():
        found.setdefault((number, "scale"), set()).update(powers)
    for thing, which in places_told(text).items() if not _TIMES.isdisjoint(parts) else ():
        if thing in _TIMES:
            found.setdefault((thing, _PLACE), set()).update(which)
    priced = not MONEY.isdisjoint(parts) or has_a_sign(text)
    for one in expressions(text, (DAY, _SUM) if priced else (DAY,)):
        for kind, told in one.meanings:
            if isinstance(told, date):
                found.setdefault((str(told.day), kind), set()).add(told.month)
            elif kind.startswith(_SUM):
                found.setdefault((f"{told:.12g}", _SUM), set()).add(kind)
    return found


def _plain(part: str) -> str:
    """A number without a fraction of nothing."""
    return part.rstrip("0").rstrip(".") if part[0].isdigit() and "." in part else part
