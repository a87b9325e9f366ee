"""Values told elsewhere: a claim with the words of one sentence and a number that only others tell, of other things.

"Up to 14 days can be carried over" has its words in "Up to 5 days may be carried over", and its number in "Requests
must be made 14 days in advance"; "64 users" has both in "64 GB and 32 users".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, pairwise, takewhile
from typing import NamedTuple

from ragvigil.scorer.checks.alignment.days import MONTH_STEMS
from ragvigil.scorer.checks.alignment.derived import derived_values
from ragvigil.scorer.checks.alignment.numbers import idle_numbers
from ragvigil.scorer.checks.alignment.parts import KINDS, UNIT_KINDS, Part, told_parts
from ragvigil.scorer.checks.alignment.swaps import UNIT_STEMS, UNITS
from ragvigil.scorer.checks.alignment.values import has_a_sign
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import expressions
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, offsets, stems_of, words

_MOST_READ, _MOST_SENTENCES = 300, 12
_MOST_PARTS = 6
_LONGEST = 400
"""Characters of a sentence that is compared."""
_NEAR = 0.1
_BEHIND = 3
_SHORTEST = 3
_TELLS = 3
"""Meaningful words of a sentence that names what it tells of itself."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_RECORD = re.compile(r"[|<>=\t{}]")
"""In a row of a table or a record, where the word behind a number may be the next cell."""
_LETTER = 1
_TELLING = 4.0
"""How much the words weigh that a part shares with a sentence, at least."""
_VAGUE = stems_of(("percent", "prozent", "por", "per", "cent", "cents", "degrees", "grad", "uhr"))
_SIZES = {"": None, **{word.stem: place for name, (_, place) in UNITS.items() for word in words(name)}}
_UNTOLD = MONTH_STEMS | _VAGUE | stems_of(LEXICON.days)


def may_be_told_elsewhere(claim: Sequence[Word], text: str, near: Sequence[Segment]) -> bool:
    """Whether a sentence `near` counts what `claim`, the words of `text`, counts otherwise: a quick look.

    >>> from ragvigil.scorer.trace import Document
    >>> plan = Evidence([Document("a", "The plan has 64 GB for 32 users.")]).segments
    >>> texts = ("32 users", "64 users", "64 GB", "10 GB", "64 seats", "It has GB.")
    >>> [may_be_told_elsewhere(words(text), text, plan[:1]) for text in texts]
    [False, True, False, True, False, False]
    """
    near = [one for one in near if one.span and one.span[1] - one.span[0] <= _LONGEST]
    mine = _counting(claim) if near else []
    for segment in near if mine else ():
        told = _counting(segment.words)
        kinds = {kind for kind, _ in told}
        if any(one[0] in kinds and one not in told for one in mine):
            return True
    return has_a_sign(text) and any(
        segment.numbers.isdisjoint(word.numbers) for segment in near[:1] for word in claim if word.numbers
    )


def _counting(sequence: Sequence[Word]) -> list[tuple[str, str]]:
    """The kind of what each number counts behind which a word tells it, and the number with that word."""
    return [
        (KINDS.get(behind.stem, behind.stem), f"{word.stem} {behind.stem}")
        for word, behind in pairwise(sequence)
        if word.numbers and not behind.numbers and (behind.content or behind.stem in UNIT_STEMS)
    ]


def is_told_elsewhere(
    claim: Sequence[Word],
    text: str,
    near: Sequence[Segment],
    evidence: Evidence,
    question: Collection[str],
    weight: Mapping[str, float],
) -> bool:
    """Whether a part of `claim`, the words of `text`, has the words of a sentence `near` and a number of others.

    The sentence has all of its words and tells one other number of that kind. All sentences with the claim's number
    tell it in another unit, or have words enough of their own and none of the part's, nor have those before them in
    their passage. `weight`: how telling each word of the claim is.

    >>> from ragvigil.scorer.trace import Document
    >>> told = ("You may carry over 5 days of leave.", "Send the form 14 days in advance.")
    >>> leave = Evidence([Document("a", told[0]), Document("b", told[1])])
    >>> weight = {"carri": 4.5, "leav": 4.2}
    >>> texts = ("Carry over 14 days of leave.", "Carry over 5 days of leave.", "Ask 14 days before.")
    >>> [is_told_elsewhere(words(text), text, leave.segments[:1], leave, (), weight) for text in texts]
    [True, False, False]
    """
    if len(evidence.segments) > _MOST_READ or _are_told_by_many(text, evidence):
        return False
    parts = told_parts(text)
    if not 0 < len(parts) <= _MOST_PARTS:
        return False
    said = {word.stem for word in claim if word.content and not word.numbers} - UNIT_STEMS
    told = {value for word in claim for value in word.numbers}
    for part in parts:
        if not _may_be_compared(part, evidence):
            continue
        elsewhere = set(chain.from_iterable(one.stems for one in parts if one.said != part.said)) - part.stems
        mine = _Mine(part, _stems(part), _behind(words(part.said), part), said - elsewhere, told, weight)
        if mine.stems and any(
            _tells_another(mine, one) and _is_never_so(mine, one, evidence, question) for one in near
        ):
            return not _is_worked_out(part, claim, text, near, evidence)
    return False


def _are_told_by_many(text: str, evidence: Evidence) -> bool:
    """Whether more sentences have each number of `text` than are looked at: a quick first look."""
    numbers = [word.numbers[0] for word in words(text) if word.numbers]
    return all(len(evidence.places.get(one, ())) > _MOST_SENTENCES for one in numbers)


class _Mine(NamedTuple):
    """A part of a claim."""

    part: Part
    stems: set[str]
    """Its words, without what it counts."""
    behind: set[str]
    """Those right behind its number."""
    said: set[str]
    """The meaningful words of the claim, without those of other parts."""
    told: set[str]
    """All numbers of the claim."""
    weight: Mapping[str, float]


def _stems(part: Part) -> set[str]:
    """The words of `part`, without numbers, what it counts, and single letters."""
    return {one for one in part.stems if one[0] != "#" and (len(one) > _LETTER or not one.isascii())} - {
        part.kind
    }


def _behind(sequence: Sequence[Word], part: Part, *, idle: bool = False) -> set[str]:
    """The meaningful words one after another, and with `idle` ones all, right behind each number of `part`."""
    found: set[str] = set()
    for place, word in enumerate(sequence):
        if not {*word.numbers}.isdisjoint(part.numbers):
            there = sequence[place + 1 : place + 1 + _BEHIND]
            if not idle:
                there = [*takewhile(lambda one: one.content and not one.numbers, there)]
            found.update(one.stem for one in there)
    return found


def _may_be_compared(part: Part, evidence: Evidence) -> bool:
    if not part.stems or part.kind in _UNTOLD or evidence.numbers.isdisjoint(part.numbers):
        return False
    if _amount(part.numbers) is None or (part.kind.islower() and len(part.kind) < _SHORTEST):
        return False
    return not any(word.negation for word in words(part.said)) and not (
        _YEAR.fullmatch(part.numbers[0]) and part.kind not in UNIT_KINDS
    )


def _tells_another(mine: _Mine, near: Segment) -> bool:
    """Whether `near` has the words of a claim, and one number of its kind, which is another."""
    part, stems = mine.part, mine.stems
    if (
        near.span is None
        or not mine.said <= near.content
        or not _says_the_same(mine, near)
        or 2 * len(stems & near.content) < len(stems)
        or not mine.behind <= near.content | UNIT_STEMS
    ):
        return False
    sentence = near.sentence
    alike = [one for one in told_parts(sentence) if one.kind == part.kind]
    alike = [one for one in alike if one.unit == part.unit] or alike
    if len({one.numbers for one in alike}) > 1:
        alike = [one for one in alike if not stems.isdisjoint(one.stems)]
    if len({one.numbers for one in alike}) != 1 or any(word.negation for word in words(alike[0].said)):
        return False
    other = alike[0].numbers
    if (
        not {*other}.isdisjoint(part.numbers)
        or not {*other}.isdisjoint(mine.told)
        or _are_near(part.numbers, other)
    ):
        return False
    meanings = {meaning for one in expressions(sentence) for meaning in one.meanings}
    return all(meanings.isdisjoint(one.meanings) for one in expressions(part.said))


def _are_near(numbers: Sequence[str], others: Sequence[str]) -> bool:
    """Whether one may be the other rounded, or they are no plain numbers."""
    one, other = _amount(numbers), _amount(others)
    return one is None or other is None or abs(one - other) <= _NEAR * max(one, other)


def _amount(numbers: Sequence[str]) -> float | None:
    return float(numbers[0]) if numbers[0].replace(".", "", 1).isdecimal() else None


def _is_never_so(mine: _Mine, near: Segment, evidence: Evidence, question: Collection[str]) -> bool:
    """Whether no sentence tells the number of a part of what that tells."""
    wanted = {*mine.part.numbers}
    segments = evidence.segments
    held = [place for place in range(len(segments)) if not wanted.isdisjoint(segments[place].numbers)]
    return 0 < len(held) <= _MOST_SENTENCES and all(
        _is_of_another_thing(mine, place, near, evidence, question) for place in held
    )


def _is_of_another_thing(
    mine: _Mine, place: int, near: Segment, evidence: Evidence, question: Collection[str]
) -> bool:
    one, part = evidence.segments[place], mine.part
    if one.span is None:
        return False
    sentence = one.sentence
    wanted = {*part.numbers}
    told = [other for other in told_parts(sentence) if not wanted.isdisjoint(other.numbers)]
    if _RECORD.search(sentence) or len(told) != sum(
        not wanted.isdisjoint(word.numbers) for word in one.words
    ):
        return False
    before = [
        other for other in evidence.segments[:place] if other.passage == one.passage and other is not near
    ]
    lacking = {stem for stem in question if stem not in near.content}
    if any(not lacking.isdisjoint(other.content) for other in (one, *before)):
        return False
    if not any((other.kind, other.unit) == (part.kind, part.unit) or other.kind in _VAGUE for other in told):
        counted = {part.unit or part.kind, *mine.behind}.isdisjoint(_behind(one.words, part, idle=True))
        return counted and all(_is_apart(other, part, near) for other in told)
    if (
        one is near
        or not mine.said.isdisjoint(one.content)
        or len(one.content - UNIT_STEMS - one.numbers) < _TELLS
    ):
        return False
    return all(part.stems.isdisjoint(other.content) for other in before)


def _is_apart(other: Part, part: Part, near: Segment) -> bool:
    """Whether what the `other` part counts is surely not what `part` counts: known units, or told of both in `near`."""
    if other.kind in UNIT_KINDS:
        return other.kind != part.kind or _SIZES[other.unit] != _SIZES[part.unit]
    sentence = near.sentence
    return other.kind in {one.kind for one in told_parts(sentence)} - {part.kind}


def _says_the_same(mine: _Mine, near: Segment) -> bool:
    """Whether a part and `near` share half of the words of each that tell something."""
    shared = mine.stems & near.content
    theirs = (
        {word.stem for word in near.words if word.content and not word.numbers}
        - UNIT_STEMS
        - {mine.part.kind}
    )
    return sum(mine.weight.get(one, 0.0) for one in shared) >= _TELLING and 2 * len(shared) >= len(theirs)


def _is_worked_out(
    part: Part, claim: Sequence[Word], text: str, near: Sequence[Segment], evidence: Evidence
) -> bool:
    """Whether the number of `part` is one that the claim works out, or only says in another way."""
    places = [at for at, word in enumerate(claim) if word.numbers == part.numbers]
    if derived_values(claim, text, places, evidence) or idle_numbers(claim, text, places).intersection(
        places
    ):
        return True
    told = [one.numbers for one in _parts_of(chain(near, _beside(near, evidence))) if one.kind == part.kind]
    told += [word.numbers for word in claim if word.numbers]
    sought = _amount(part.numbers)
    alike = {amount for one in told if (amount := _amount(one)) is not None and amount != sought}
    if any(sought in (a + b, abs(a - b), a * b) for a, b in combinations(alike, 2)):
        return True
    said = {meaning for one in expressions(_in_digits(part)) for meaning in one.meanings}
    there = evidence.in_small_letters
    return any(
        not said.isdisjoint(one.meanings)
        and not any(
            not {*word.numbers}.isdisjoint(part.numbers) for word in words(there[one.start : one.end])
        )
        for one in (expressions(there) if said else ())
    )


def _parts_of(segments: Iterable[Segment]) -> Iterator[Part]:
    for one in segments:
        if one.span:
            yield from told_parts(one.sentence)


def _beside(near: Sequence[Segment], evidence: Evidence) -> list[Segment]:
    """The sentences before and behind those `near`."""
    segments = evidence.segments
    places = [place for place in range(len(segments)) if segments[place] in near]
    found = {at for place in places for at in (place - 1, place + 1) if 0 <= at < len(segments)}
    return [segments[at] for at in sorted(found)]


def _in_digits(part: Part) -> str:
    """What `part` says, its number in digits."""
    for (first, last), word in zip(offsets(part.said), words(part.said), strict=True):
        if word.numbers == part.numbers:
            return f"{part.said[:first]}{part.numbers[0]}{part.said[last:]}"
    return part.said
