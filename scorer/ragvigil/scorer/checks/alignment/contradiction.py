"""Contradiction: a sentence that says nearly the same as a claim, with another number or the opposite."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ragvigil.scorer.checks.alignment.numbers import Numbers
from ragvigil.scorer.checks.alignment.swaps import (
    UNIT_STEMS,
    Swap,
    in_one_form,
    may_be_swapped,
    may_swap,
    swapped,
)
from ragvigil.scorer.checks.reading.evidence import Segment
from ragvigil.scorer.checks.reading.words import Word, values

_ALIKE = 0.8


def opposes(claim: Sequence[Word], denying: bool, best: Segment) -> bool:
    """Whether one of claim and sentence denies what the other says.

    A negation counts for the word after it, which the other must hold, and for its own clause: "they are not
    swayed and will go" does not deny that they will go.
    """
    if denying == best.negated:
        return False
    if best.absent is not None:
        return True
    if denying:
        return _shares(_denied(claim), best.content)
    said = frozenset(word.stem for word in claim if word.content)
    return _shares(_denied(best.words), said) and best.denies_of(said)


def _denied(sequence: Sequence[Word]) -> set[str]:
    """The meaningful stem after each negation; empty where one ends the sentence and so denies all of it."""
    found, open_ended = set[str](), False
    for word in sequence:
        if open_ended and word.content:
            found.add(word.stem)
            open_ended = False
        open_ended = open_ended or word.negation
    return set() if open_ended else found


def _shares(denied: set[str], other: frozenset[str]) -> bool:
    return (
        not denied or not denied.isdisjoint(other) or not in_one_form(denied).isdisjoint(in_one_form(other))
    )


def contradiction_of(
    claim: Sequence[Word], text: str, denying: bool, best: Segment | None, numbers: Numbers
) -> str | None:
    """What the best sentence says otherwise than `claim`, the words of `text`; None unless it is plain."""
    if best is None or (best.path and best.span is None):
        return None
    said = {word.stem for word in claim if word.content and not word.numbers}
    swap = _swap(claim, text, said, best)
    if swap and (swap != "opposite" or denying == best.negated):
        return "negation" if swap == "opposite" else "number"
    denied = denying != best.negated
    if not numbers.novel and not denied and len(said & best.content) < _ALIKE * len(said):
        return None  # as nearly always
    there = {word.stem for word in best.words if word.content and not word.numbers}
    if _renumbers(claim, best, numbers, said, there) and _comparable(claim, best, numbers.all[0]):
        return "number"
    if denied and _are_alike(in_one_form(said), in_one_form(there)) and opposes(claim, denying, best):
        return "negation"
    if not _are_alike(said, there):
        return None
    mine, theirs = numbers.all, best.numbers
    differ = len(mine) == 1 and theirs and theirs.isdisjoint(mine[0]) and _comparable(claim, best, mine[0])
    return "number" if differ else None


def _swap(claim: Sequence[Word], text: str, said: set[str], best: Segment) -> Swap | None:
    """What `claim` swaps of the best sentence; `said`: its meaningful stems without numbers."""
    if best.span is None or not may_be_swapped(said, best.content):
        return None
    sentence = best.text[slice(*best.span)]
    return swapped(claim, text, best.words, sentence) if may_swap(claim, text, sentence) else None


def _are_alike(said: set[str], there: set[str]) -> bool:
    return len(said) > 1 and len(said & there) >= _ALIKE * len(said | there)


def _renumbers(
    claim: Sequence[Word], best: Segment, numbers: Numbers, said: set[str], there: set[str]
) -> bool:
    """Whether the claim says what the sentence says, one word aside, but with one number that is found nowhere.

    The sentence must count the same thing; where the claim names none, it must hold one number only.
    """
    shared = len(said & there)
    if len(numbers.all) != 1 or not numbers.novel or not shared or len(said) - shared > min(1, shared // 2):
        return False
    units, counted = _units(claim), _units(best.words)
    return bool(units & counted) if units else len(values(best.words)) == 1 and 2 * shared >= len(there)


def _comparable(claim: Sequence[Word], best: Segment, number: tuple[str, ...]) -> bool:
    """Whether `number` of a claim and those of a sentence count the same: 5 km may well be 5000 m, and 3/4 be 75 %."""
    if any("/" in value for value in (*number, *best.numbers)):
        return False
    mine, theirs = _units(claim), _units(best.words)
    return not (mine and theirs) or not mine.isdisjoint(theirs)


def _units(sequence: Sequence[Word]) -> set[str]:
    """Stems of the meaningful words, and of units, right after a number."""
    return {
        after.stem
        for word, after in pairwise(sequence)
        if word.numbers and (after.content or after.stem in UNIT_STEMS) and not after.numbers
    }
