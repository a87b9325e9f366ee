"""Tokens: for each meaningful word of a claim, what speaks for and against its being founded.

What is seen of a word is a short list of marks; a fitted model adds their weights. That tells which words of a
claim the evidence lacks, and a claim is rarely better than its worst words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import exp, log
from typing import NamedTuple

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import Word

MARKS = (
    "found",
    "asked",
    "number_found",
    "number_missing",
    "number_elsewhere",
    "name_missing",
    "qualifier",
    "in_best",
    "in_second",
    "pair_before_found",
    "pair_before_missing",
    "pair_after_found",
    "pair_after_missing",
    "previous_missing",
    "next_missing",
    "between_missing_pairs",
    "false_said",
    "null_said",
    "null_denied",
    "true_denied",
    "true_said",
    "false_denied",
    "other_hours",
    "record",
    "record_missing",
)
"""What may be seen of a word."""
TOKEN_FEATURES = (*MARKS, "weight", "weight_missing")
"""In the order of the coefficients: each mark, 1 or 0; how telling the stem is, in [0, 1]; that again if missing."""
SUMMARY = ("worst_word", "worst_3_words", "worst_6_words", "expected_words")
"""What is taken of the words' log-odds of being unfounded."""
(
    _FOUND,
    _ASKED,
    _NUMBER_FOUND,
    _NUMBER_MISSING,
    _NUMBER_ELSEWHERE,
    _NAME_MISSING,
    _QUALIFIER,
    _IN_BEST,
    _IN_SECOND,
    _BEFORE_FOUND,
    _BEFORE_MISSING,
    _AFTER_FOUND,
    _AFTER_MISSING,
    _PREVIOUS_MISSING,
    _NEXT_MISSING,
    _BETWEEN,
    _FIRST_FLAG,
) = range(17)
_OTHER_HOURS, _RECORD, _RECORD_MISSING = (
    MARKS.index("other_hours"),
    MARKS.index("record"),
    MARKS.index("record_missing"),
)
_NO_WORDS = (-5.0, -5.0, -5.0, -4.0)
_CERTAIN = 0.999


class Token(NamedTuple):
    """One meaningful word of a claim."""

    place: int
    """Which word of the claim it is."""
    marks: list[int]
    """Places in MARKS of what was seen of it, ascending."""
    weight: float
    """How telling its stem is, in [0, 1]."""
    missing: bool
    """Whether neither the evidence nor the question has it."""
    stem: str


_token = partial(tuple[object, ...].__new__, Token)
"""A token of its fields, in a fifth of the time: an answer has a hundred."""


class Surroundings(NamedTuple):
    """What all words of one claim are compared with."""

    evidence: Evidence
    question: Collection[str]
    best: frozenset[str]
    """Stems of the sentence that carries most of the claim."""
    second: frozenset[str]
    """Stems of the sentence that adds most to it."""
    flags: Mapping[int, int]
    """For a word of the claim that names a record's flag: how, as a place in FLAGS."""
    other_hours: frozenset[int]
    """Words of the claim that tell other days or times than the record."""
    linked: Sequence[bool]
    """Whether each of its meaningful stems stands right before the next one in the evidence."""


def read_tokens(
    claim: Sequence[Word], places: Sequence[int], weights: Sequence[float], around: Surroundings
) -> list[Token]:
    """The words of `claim` at `places`, which carry its meaning; `weights` says how telling each is, in [0, 1]."""
    evidence, question, best, second = around.evidence, around.question, around.best, around.second
    stems = [claim[place].stem for place in places]
    found = [stem in evidence.places for stem in stems]
    linked = [None, *around.linked, None]
    record = bool(evidence.flags)
    all_marks: list[list[int]] = []
    lacking: list[bool] = []
    each = zip(places, stems, found, pairwise(linked), strict=True)
    for number, (place, stem, seen, (before, after)) in enumerate(each):
        word = claim[place]
        marks = [_FOUND] if seen else [_ASKED] if stem in question else []
        missing = not marks
        if word.numbers:
            marks += _of_the_number(word, missing, around)
        elif missing and place and word.name:
            marks.append(_NAME_MISSING)
        if word.qualifier:
            marks.append(_QUALIFIER)
        if stem in best:
            marks.append(_IN_BEST)
        elif stem in second:
            marks.append(_IN_SECOND)
        if before is not None:
            marks.append(_BEFORE_FOUND if before else _BEFORE_MISSING)
        if after is not None:
            marks.append(_AFTER_FOUND if after else _AFTER_MISSING)
        if number and not found[number - 1]:
            marks.append(_PREVIOUS_MISSING)
        if after is not None and not found[number + 1]:
            marks.append(_NEXT_MISSING)
        if before is False and after is False and not missing:
            marks.append(_BETWEEN)
        if record:
            marks += _of_the_record(place, missing, around)
        all_marks.append(marks)
        lacking.append(missing)
    return list(map(_token, zip(places, all_marks, weights, lacking, stems, strict=True)))


def _of_the_number(word: Word, missing: bool, around: Surroundings) -> list[int]:
    marks = [] if missing else [_NUMBER_FOUND]
    if around.evidence.numbers.isdisjoint(around.evidence.meant(word.numbers)):
        marks.append(_NUMBER_MISSING)
    elif word.stem not in around.best and word.stem not in around.second:
        marks.append(_NUMBER_ELSEWHERE)
    return marks


def _of_the_record(place: int, missing: bool, around: Surroundings) -> list[int]:
    marks: list[int] = []
    flag = around.flags.get(place)
    if flag is not None:
        marks.append(_FIRST_FLAG + flag)
    if place in around.other_hours:
        marks.append(_OTHER_HOURS)
    marks.append(_RECORD)
    if missing:
        marks.append(_RECORD_MISSING)
    return marks


def summary(log_odds: Sequence[float]) -> tuple[float, ...]:
    """SUMMARY of the words' log-odds: the worst, the mean of the worst 3 and 6, and how many are expected (log).

    >>> [round(one, 2) for one in summary([0.0, -2.0])]
    [0.0, -1.0, -1.0, -0.2]
    """
    if not log_odds:
        return _NO_WORDS
    ranked = sorted(log_odds, reverse=True)
    expected = -sum([log(1 - min(_CERTAIN, 1 / (1 + exp(-one)))) for one in ranked])
    three, six = ranked[:3], ranked[:6]
    return (ranked[0], sum(three) / len(three), sum(six) / len(six), log(expected))
