"""Crossed values: a number that the evidence tells of another kind of thing: €15 where it has 5 euros and 15 %."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.alignment.derived import derived_values
from ragvigil.scorer.checks.alignment.numbers import idle_numbers
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import CLOCK, DAY, expressions
from ragvigil.scorer.checks.reading.patterns import LETTERS
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, offsets, things_of, words

_WITH_ITS_UNIT = re.compile(r"[ \u00a0-]?(?:[%°€$£¥₹]|[^\W\d_]+)")
_SIGNS = "€$£¥₹"
_UNIT_SIGNS = frozenset("%€$£¥₹")
_PLAIN = frozenset(("gb", "mb", "kb", "tb", "kg", "km", "cm", "mm", "ml", "mg", "per", "de"))
_AMBIGUOUS = frozenset(
    (
        "pound",
        "pounds",
        "cent",
        "cents",
        "second",
        "minute",
        "degree",
        "degrees",
        "stone",
        "point",
        "points",
        "mil",
    )
)
_WHOLE = "100"
"""Of which so many per cent are as many: 20 % of 100 dollars."""
_SHORTEST = 3
_MOST_LACKING = 2
"""Words of a claim that the best sentence may lack: one, and the unit of the number."""
_MOST_SENTENCES, _MOST_READ = 20, 300
_ALIKE = {"calendar": "time", CLOCK: "time", DAY: "time", "binary": "data", "decimal": "data"}


def crossed_number(
    claim: Sequence[Word], text: str, best: Segment, evidence: Evidence
) -> tuple[str, ...] | None:
    """The one number of `claim`, the words of `text`, that all sentences with it tell of another kind of thing.

    The `best` sentence says the rest of the claim, and tells either this number or one other of the claim's kind. Each
    number stands beside a unit that is known.

    >>> from ragvigil.scorer.trace import Document
    >>> fees = Evidence([Document("a", "The fee is 5 euros. A discount of 15 % applies.")])
    >>> texts = ("The fee is €15.", "The fee is 5 euros.", "A discount of 15 percent applies.")
    >>> [crossed_number(words(one), one, fees.segments[0], fees) for one in texts]
    [('15',), None, None]
    """
    if best.span is None or _WHOLE in evidence.numbers:
        return None
    sentence = best.sentence
    told = [place for place, word in enumerate(claim) if word.numbers and word.numbers[0] in evidence.numbers]
    if not told or (text.isascii() and _says_too_much(claim, best)):
        return None  # as mostly
    where = offsets(text)
    places = [place for place in told if not _is_literal(text, *where[place], sentence)]
    if len(places) != 1 or not _says_the_rest(claim, places[0], text, best):
        return None  # as mostly
    (place,) = places
    mine = _only_kind(claim, text, place)
    if mine is None:
        return None
    numbers = claim[place].numbers
    alike = sum(not mine.isdisjoint(one) for one in _kinds(sentence).values())
    if alike > 1 or not (alike or (len(told) == 1 and not best.numbers.isdisjoint(numbers))):
        return None
    return None if _is_worked_out(claim, text, place, evidence) else _if_never_so(numbers, mine, evidence)


def _only_kind(claim: Sequence[Word], text: str, place: int) -> frozenset[str] | None:
    """The kind of the number at `place` of `claim`, the words of `text`, where it has one that no other number has.

    None as well where it is told in the evidence in another unit.
    """
    start, end = offsets(text)[place]
    kinds = _kinds(text)
    mine = kinds.pop(start, frozenset[str]())
    if len(mine) != 1 or claim[place].stem != words(text[start:end])[0].stem:
        return None
    return mine if all(mine.isdisjoint(one) for one in kinds.values()) else None


def _says_too_much(claim: Sequence[Word], best: Segment) -> bool:
    """Whether the best sentence lacks two words of `claim`, in ASCII, beside a unit: more than it may; a first look."""
    said = things_of(claim)
    return len(said - best.content) > _MOST_LACKING


def _says_the_rest(claim: Sequence[Word], place: int, text: str, best: Segment) -> bool:
    """Whether the best sentence has nearly all words of `claim` but the number at `place` with its unit."""
    if any(
        word.numbers and at != place and best.numbers.isdisjoint(word.numbers)
        for at, word in enumerate(claim)
    ):
        return False
    where = offsets(text)
    end = where[place][0] + len(_with_its_unit(text, *where[place]))
    said = {
        word.stem
        for word, (start, _) in zip(claim, where, strict=True)
        if word.content and not word.numbers and not where[place][0] <= start < end
    }
    shared = len(said & best.content)
    return shared > 0 and len(said) - shared <= min(1, shared // 2)


def _is_worked_out(claim: Sequence[Word], text: str, place: int, evidence: Evidence) -> bool:
    return place in derived_values(claim, text, (place,), evidence) or place in idle_numbers(
        claim, text, (place,)
    )


def _is_literal(text: str, start: int, end: int, sentence: str) -> bool:
    """Whether `sentence` has the number from `start` to `end` with the unit that stands beside it."""
    if text[start - 1 : start] in _SIGNS and start:
        return text[start - 1 : end] in sentence
    behind = _WITH_ITS_UNIT.match(text, end)
    return text[start : behind.end() if behind else end] in sentence


def _kinds(text: str) -> dict[int, frozenset[str]]:
    """For the start of each number with a unit what kinds of thing it may measure."""
    told = [
        (one.start, one.end, frozenset(_kind(kind) for kind, _ in one.meanings))
        for one in expressions(text)
        if _is_plain(_with_its_unit(text, one.start, one.end).casefold())
    ]
    found: dict[int, frozenset[str]] = {}
    for word, (start, _) in zip(words(text), offsets(text), strict=True):
        if word.numbers:
            for first, last, kinds in told:
                if first <= start < last:
                    found[start] = kinds
    return found


def _with_its_unit(text: str, start: int, end: int) -> str:
    """A number from `start` to `end` with the unit behind it, where it has none in it."""
    said = text[start:end]
    behind = (
        None if said[-1:].isalpha() or not _UNIT_SIGNS.isdisjoint(said) else _WITH_ITS_UNIT.match(text, end)
    )
    return text[start : behind.end()] if behind else said


def _is_plain(said: str) -> bool:
    """Whether a unit stands there that measures nothing else: a pound may be money, *m* a million, 24/7 no ratio."""
    units = LETTERS.findall(said)
    if "/" in said or not (units or not _UNIT_SIGNS.isdisjoint(said)):
        return False
    return all(one in _PLAIN or (len(one) >= _SHORTEST and one not in _AMBIGUOUS) for one in units)


def _kind(kind: str) -> str:
    kind = kind.partition(" ")[0]
    return _ALIKE.get(kind, kind)


def _if_never_so(
    numbers: tuple[str, ...], kinds: frozenset[str], evidence: Evidence
) -> tuple[str, ...] | None:
    """`numbers` if each sentence that has one of them tells it with a unit, and of none of `kinds`."""
    if len(evidence.segments) > _MOST_READ:
        return None
    wanted = {*numbers}
    held = [one for one in evidence.segments if not wanted.isdisjoint(one.numbers)]
    if not 0 < len(held) <= _MOST_SENTENCES:
        return None
    return numbers if all(_tells_otherwise(one, wanted, kinds) for one in held) else None


def _tells_otherwise(segment: Segment, wanted: set[str], kinds: frozenset[str]) -> bool:
    if segment.span is None:
        return False
    sentence = segment.sentence
    told = _kinds(sentence)
    starts = [
        start
        for word, (start, _) in zip(words(sentence), offsets(sentence), strict=True)
        if not wanted.isdisjoint(word.numbers)
    ]
    return bool(starts) and all(start in told and kinds.isdisjoint(told[start]) for start in starts)
