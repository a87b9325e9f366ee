"""Values told elsewhere: a claim with the words of one sentence and a number that passages tell in other units only.

"64 users" has its words and its number in "64 GB and 32 users".
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import chain, combinations

from ragvigil.scorer.checks.alignment.days import MONTH_STEMS
from ragvigil.scorer.checks.alignment.derived import derived_values, plain_number
from ragvigil.scorer.checks.alignment.numbers import idle_numbers
from ragvigil.scorer.checks.alignment.swaps import UNIT_STEMS, UNITS
from ragvigil.scorer.checks.alignment.told_parts import UNIT_KINDS, Part, told_parts
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, stems_of, things_of, words

_MOST_SENTENCES = 12
"""Which tell the number, more of which are not looked at."""
_FEWEST = 2
"""Words of a claim that tell what its number is of."""
_NEAR = 0.1
_SHORTEST = 3
"""Letters of a word that something is counted by, and no sign of a formula."""
_UNTOLD = (
    MONTH_STEMS
    | stems_of(LEXICON.days)
    | stems_of(("percent", "prozent", "por", "per", "cent", "cents", "degrees", "grad", "uhr"))
)
"""Behind a number what is not counted, or what a sign tells as well."""
_SIZES = {word.stem: place for name, (_, place) in UNITS.items() for word in words(name)}


def is_told_elsewhere(claim: Sequence[Word], text: str, best: Segment, evidence: Evidence) -> bool:
    """Whether `claim`, the words of `text`, has words of the `best` sentence alone, and a number told in other units.

    The sentence has one other number with the unit of the claim, and half of its words are the claim's.

    >>> from ragvigil.scorer.trace import Document
    >>> plan = Evidence([Document("a", "The plan has 64 GB for 32 users. It keeps data for 90 days.")])
    >>> texts = ("The plan has 64 users.", "The plan has 90 users.", "The plan has 32 users.", "It has 64 seats.")
    >>> [is_told_elsewhere(words(text), text, plan.segments[0], plan) for text in texts]
    [True, True, False, False]
    """
    said = things_of(claim) - UNIT_STEMS
    if best.span is None or len(said) < _FEWEST or not said <= best.content:
        return False  # as mostly
    if 2 * len(said) < len(things_of(best.words) - UNIT_STEMS) or any(word.negation for word in claim):
        return False
    there = told_parts(best.sentence)
    told = set(chain.from_iterable(word.numbers for word in claim))
    return any(
        _is_another(part, there, told)
        and _is_of_others(part, there, evidence)
        and not _is_worked_out(part, claim, text, there, evidence)
        for part in told_parts(text)
    )


def _is_another(part: Part, there: Sequence[Part], told: Set[str]) -> bool:
    """Whether the parts `there` have one other number with the unit of `part`, which is not `told` in the claim."""
    if part.kind in _UNTOLD or (part.kind.islower() and len(part.kind) < _SHORTEST):
        return False
    alike = [one.numbers for one in there if (one.kind, one.unit) == (part.kind, part.unit)]
    if len(alike) != 1 or not told.isdisjoint(alike[0]):
        return False
    mine, other = plain_number(part.numbers), plain_number(alike[0])
    return mine is not None and other is not None and abs(mine - other) > _NEAR * max(mine, other)


def _is_of_others(part: Part, there: Sequence[Part], evidence: Evidence) -> bool:
    """Whether all sentences that have the number of `part` count something else by it.

    That has a unit of another size, or is counted in one of the parts `there`, too.
    """
    wanted = frozenset(part.numbers)
    if evidence.numbers.isdisjoint(wanted):
        return False
    counted = {one.kind for one in there} - {part.kind}
    held = [one for one in evidence.segments if not one.numbers.isdisjoint(wanted)]
    return 0 < len(held) <= _MOST_SENTENCES and all(
        _counts_others(one, wanted, part, counted) for one in held
    )


def _counts_others(one: Segment, wanted: Set[str], part: Part, counted: Set[str]) -> bool:
    """Whether the sentence `one` counts what is `counted` by its `wanted` numbers, or has another unit than `part`."""
    if one.span is None:
        return False
    told = [other for other in told_parts(one.sentence) if not wanted.isdisjoint(other.numbers)]
    if len(told) != sum(not wanted.isdisjoint(word.numbers) for word in one.words):
        return False
    return all(
        other.kind != part.kind or _SIZES.get(other.unit) != _SIZES.get(part.unit)
        if other.kind in UNIT_KINDS
        else other.kind in counted
        for other in told
    )


def _is_worked_out(
    part: Part, claim: Sequence[Word], text: str, there: Sequence[Part], evidence: Evidence
) -> bool:
    """Whether the number of `part` is one that the claim works out of its own and those of that kind `there`."""
    places = [at for at, word in enumerate(claim) if word.numbers == part.numbers]
    idle = idle_numbers(claim, text, places)
    if derived_values(claim, text, places, evidence) or not idle.isdisjoint(places):
        return True
    told = [one.numbers for one in there if one.kind == part.kind]
    told += [word.numbers for word in claim if word.numbers]
    alike = {amount for one in told if one != part.numbers and (amount := plain_number(one)) is not None}
    return any(plain_number(part.numbers) in (a + b, abs(a - b), a * b) for a, b in combinations(alike, 2))
