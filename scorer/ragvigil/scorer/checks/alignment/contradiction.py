"""Contradiction: a sentence that says nearly the same as a claim, with another number or the opposite."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ragvigil.scorer.checks.alignment.days import MONTH_STEMS, another_weekday, leaves_room, tells_a_day
from ragvigil.scorer.checks.alignment.denials import HAVING, LACKING, ON, is_open, leaves_it_so, off_places
from ragvigil.scorer.checks.alignment.entries import are_heads, entries_of
from ragvigil.scorer.checks.alignment.excepted import is_excepted
from ragvigil.scorer.checks.alignment.moments import may_tell_moments, moment_leaves_room
from ragvigil.scorer.checks.alignment.numbers import Numbers
from ragvigil.scorer.checks.alignment.swaps import (
    UNIT_STEMS,
    Swap,
    form_of,
    in_one_form,
    may_be_swapped,
    may_swap,
    of_another,
    opposed,
    swapped,
)
from ragvigil.scorer.checks.alignment.values import other_limit
from ragvigil.scorer.checks.reading.answered import asks, told_before
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import NEGATION_ADVERBS, Word, stems_of, things_of, values, words

_ALIKE = 0.8
_FEWEST_WITHIN = 2
"""Meaningful words of a claim that may be looked for within a longer sentence."""
_OF_ONE = ("month", "date", "weekday", "moment", "place", "part")
_NAUGHT = ("0",)
_LIMITING = stems_of(LEXICON.limiting)
_NOTHING = stems_of(OPPOSITES["naught"])
"""What denies without a negation: it costs nothing."""


def opposes(claim: Sequence[Word], text: str, denying: bool, best: Segment) -> bool:
    """Whether one of `claim`, the words of `text`, and sentence denies what the other says.

    A negation counts for the word after it, which the other must hold, and for its own clause: "they are not
    swayed and will go" does not deny that they will go. What a denial `leaves_it_so` it does not deny.
    """
    if (best.absent is not None or (best.value is True and (denying or _is_on(claim, best)))) and _is_off(
        claim, best
    ):
        return denying == (best.absent is not None)  # what is off is denied, and what is not off is not
    if denying == best.negated or (denying and are_heads(best)):
        return False
    if best.absent is not None:
        return True
    if not denying and _is_answered_no(best) and _is_not_asked(claim, best):
        return False
    if leaves_it_so(*((claim, best.words) if denying else (best.words, claim))):
        return False
    sentence = best.sentence if best.span else best.text
    if is_open(claim, text, sentence) if denying else is_open(best.words, sentence, text):
        return False
    if denying:
        return _shares(_denied(claim), best.content - _lacked(best.words))
    return _is_denied_by(best, claim)


def _is_denied_by(best: Segment, claim: Sequence[Word]) -> bool:
    """Whether the `best` sentence, which denies something, denies what `claim` says."""
    told = best.words
    if (entries := entries_of(best)) is not None:
        if entries.deny({word.stem for word in claim}):
            return not off_places(claim)
        if not denies(told := entries.rest):
            return False
    said = frozenset(word.stem for word in claim if word.content) - _lacked(claim)
    return _shares(_denied(told), said) and best.denies_of(said)


def _is_not_asked(claim: Sequence[Word], best: Segment) -> bool:
    """Whether it is not `claim` that a question asks and "no" answers: it says that before, or the claim "nothing"."""
    said = {word.stem for word in claim}
    if not _NOTHING.isdisjoint(said):
        return True
    return best.span is not None and {
        word.stem for word in claim if word.content or word.numbers
    } <= told_before(best.sentence)


def _is_on(claim: Sequence[Word], best: Segment) -> bool:
    """Whether a record's value is named for that something is on, as firewall.enabled, and `claim` says of none so."""
    if not best.path or ON.isdisjoint([word.stem for word in words(best.path[-1])]):
        return False
    return all(word.stem != "on" and word.stem not in ON for word in claim)


def _is_off(claim: Sequence[Word], best: Segment) -> bool:
    """Whether `claim` says that something is off, in another word than a record's value is named for: inactive."""
    places = off_places(claim)
    named: set[str] = {word.stem for word in words(best.path[-1])} if places and best.path else set()
    return any(claim[place].stem not in named for place in places)


def _lacked(sequence: Sequence[Word]) -> set[str]:
    """What a sentence says is not there, though it denies nothing: zero downtime."""
    return {after.stem for word, after in pairwise(sequence) if word.numbers == _NAUGHT and after.content}


def _denied(sequence: Sequence[Word]) -> set[str]:
    """The meaningful stem after each negation; empty where one ends the sentence and so denies all of it."""
    found: set[str] = set()
    open_ended = False
    for word in sequence:
        if open_ended and word.content and word.stem not in NEGATION_ADVERBS:
            found.add(word.stem)
            open_ended = False
        open_ended = open_ended or word.negation
    return set() if open_ended else found


def _shares(denied: set[str], other: frozenset[str]) -> bool:
    return (
        not denied or not denied.isdisjoint(other) or not in_one_form(denied).isdisjoint(in_one_form(other))
    )


def _opposite(claim: Sequence[Word], text: str, denying: bool, best: Segment) -> bool:
    """Whether one of them plainly denies what the other says; to be without a thing, only to be with it does."""
    one, other = (claim, best.words) if denying else (best.words, claim)
    denials = [word.stem for word in one if word.negation]
    if denials and LACKING.issuperset(denials):
        return any(word.stem in HAVING for word in other)
    return opposes(claim, text, denying, best)


def contradiction_of(
    claim: Sequence[Word], text: str, denying: bool, best: Segment | None, numbers: Numbers
) -> str | None:
    """What the best sentence says otherwise than `claim`, the words of `text`; None unless it is plain."""
    if best is None or (best.path and best.span is None):
        return None
    found = _otherwise(claim, text, denying, best, numbers)
    if found is None or best.span is None:
        return found
    sentence = best.sentence
    if found == "number":
        return None if of_another(text, sentence) else found
    return None if denying != best.negated and other_limit(text, sentence) else found  # not over 5 is up to 5


def _otherwise(
    claim: Sequence[Word], text: str, denying: bool, best: Segment, numbers: Numbers
) -> str | None:
    """What `best` says otherwise, be it of another thing or not."""
    said = things_of(claim)
    swap, denied = _swap(claim, text, said, best), denying != best.negated
    if denied and swap in _OF_ONE:
        return None  # what is not so on Sunday may be so on Saturday
    if swap == "opposite":
        if denied or is_excepted(best.words, claim) or is_excepted(claim, best.words):
            return None  # not after 14 days is within 14 days, open daily except Sundays is closed on Sundays
        return "negation"
    if swap:
        return "number"
    if not numbers.novel and not denied and len(said & best.content) < _ALIKE * len(said):
        return None  # as nearly always
    found = _differs(claim, text, denying, best, numbers, said)
    return None if found and numbers.novel and _leaves_room(claim, text, denied, best) else found


def _differs(
    claim: Sequence[Word], text: str, denying: bool, best: Segment, numbers: Numbers, said: set[str]
) -> str | None:
    """What `best`, which swaps nothing for another thing, says otherwise; `said`: as in `_swap`."""
    there = things_of(best.words)
    if _renumbers(claim, best, numbers, said, there) and _comparable(claim, best, numbers.novel[0]):
        return "number"
    if said <= there and _renumbers_one(claim, best, numbers):
        return "number"
    if (
        denying != best.negated
        and _says_the_same(claim, best, said, there)
        and _opposite(claim, text, denying, best)
    ):
        return "negation"
    if not _are_alike(said, there):
        return None
    mine, theirs = numbers.all, best.numbers
    differ = len(mine) == 1 and theirs and theirs.isdisjoint(mine[0]) and _comparable(claim, best, mine[0])
    return "number" if differ else None


def corrects(after: Segment, claim: Sequence[Word], best: Segment) -> bool:
    """Whether the sentence `after` the best one says of the same thing what `claim` says: "It was moved to 8 May."

    It has the words that the best one lacks, and no thing in common with it that it would name anew: "Gate B closes at
    8" says nothing of gate A.
    """
    if after.passage != best.passage or after.span is None:
        return False
    said, there, then = ({word.stem for word in one} for one in (claim, best.words, after.words))
    new = {word.stem for word in claim if (word.content or word.numbers) and word.stem not in there}
    values = {word.stem for word in claim if word.numbers} | MONTH_STEMS
    return (
        bool(new) and new <= then and then & MONTH_STEMS <= said and not after.content & best.content - values
    )


def _leaves_room(claim: Sequence[Word], text: str, denied: bool, best: Segment) -> bool:
    """Whether the best sentence tells another time, but so that what `claim` says of its own may be so as well."""
    if best.span is None:
        return False
    sentence = best.sentence
    if another_weekday(text, sentence) or (
        may_tell_moments(text, sentence) and moment_leaves_room(text, sentence)
    ):
        return True
    return tells_a_day(claim) and leaves_room(text, sentence, denied=denied or opposed(text, sentence))


def _swap(claim: Sequence[Word], text: str, said: set[str], best: Segment) -> Swap | None:
    """What `claim` swaps of the best sentence; `said`: its meaningful stems without numbers."""
    if best.span is None or not may_be_swapped(said, best.content):
        return None
    sentence = best.sentence
    return swapped(claim, text, best.words, sentence) if may_swap(claim, text, sentence) else None


def _says_the_same(claim: Sequence[Word], best: Segment, said: set[str], there: set[str]) -> bool:
    """Whether claim and sentence, or the claim and one clause of a longer sentence, are the same but for a negation."""
    mine, theirs = (in_one_form(one - NEGATION_ADVERBS) for one in (said, there))
    if best.negated and not _is_answered_no(best) and _says_outright(claim, best.words):
        return False  # what it denies is something else: "covers defects, does not cover misuse"
    if _are_alike(mine, theirs):
        return True
    if len(mine) < _FEWEST_WITHIN or not mine <= theirs or best.span is None:
        return False
    return _stands_together(mine, best.words) and not _limits(claim, best)


def _is_answered_no(best: Segment) -> bool:
    """Whether a sentence denies by what stands behind it: it is a question, and the next one says no."""
    return best.negated and not any(word.negation for word in best.words)


def _says_outright(claim: Sequence[Word], sequence: Sequence[Word]) -> bool:
    """Whether `sequence` holds the meaningful words of `claim` one after another, none of them denied."""
    if any(word.negation for word in sequence) and not _denied(sequence):
        return False  # a negation that ends it denies all of it
    mine = _told(claim)
    there = _told(sequence)
    return any(there[place : place + len(mine)] == mine for place in range(len(there) - len(mine) + 1))


def _told(sequence: Sequence[Word]) -> list[str]:
    """The meaningful stems of `sequence`, in one form; empty where one is denied."""
    told: list[str] = []
    denies = False
    for word in sequence:
        if word.content and word.stem not in NEGATION_ADVERBS:
            told.append("" if denies else form_of(word.stem))
            denies = False
        denies = denies or word.negation
    return told


def _stands_together(mine: set[str], sequence: Sequence[Word]) -> bool:
    """Whether all stems of `mine` stand in a stretch of `sequence` with hardly another meaningful word."""
    told = [form_of(word.stem) for word in sequence if word.content and not word.numbers]
    told = [stem for stem in told if stem not in NEGATION_ADVERBS]
    most = len(mine) + 1
    return any(mine <= set(told[place : place + most]) for place in range(max(1, len(told) - most + 1)))


def _limits(claim: Sequence[Word], best: Segment) -> bool:
    """Whether the sentence may both say and deny a thing: in some cases, not without, or because it asks."""
    if best.span is not None and asks(best.sentence) and not _is_answered_no(best):
        return True
    told = [*claim, *best.words]
    denials = {word.stem in LACKING for word in told if word.negation}
    return len(denials) > 1 or any(word.stem in _LIMITING for word in told)


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


def _renumbers_one(claim: Sequence[Word], best: Segment, numbers: Numbers) -> bool:
    """Whether one number of several is found nowhere, and the sentence has the others and one more of the same unit.

    So "part 40 costs 16 euros" is told otherwise by "part 40 costs 15 euros".
    """
    if len(numbers.all) < _FEWEST_WITHIN or len(numbers.novel) != 1:
        return False
    others = [one for one in numbers.all if one not in numbers.novel]
    if any(best.numbers.isdisjoint(one) for one in others):
        return False
    known = {value for one in others for value in one}
    left = [one for one in values(best.words) if known.isdisjoint(one)]
    if len(left) != 1 or any("/" in value for value in (*numbers.novel[0], *left[0])):
        return False
    mine, theirs = _unit_of(claim, numbers.novel[0]), _unit_of(best.words, left[0])
    return mine == theirs or not (mine and theirs)


def _unit_of(sequence: Sequence[Word], number: tuple[str, ...]) -> str | None:
    """Stem of the meaningful word, or unit, right after `number`."""
    return next(
        (
            after.stem
            for word, after in pairwise(sequence)
            if word.numbers
            and not {*word.numbers}.isdisjoint(number)
            and (after.content or after.stem in UNIT_STEMS)
            and not after.numbers
        ),
        None,
    )


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
