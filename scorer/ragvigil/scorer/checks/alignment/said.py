"""What a claim says: its words, those that its evidence must hold, and whether it denies."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple, Self

from ragvigil.scorer.checks.alignment.days import Ranges, tells_a_weekday
from ragvigil.scorer.checks.alignment.hours import AGREED, Disagreement, compare
from ragvigil.scorer.checks.alignment.idle import idle_words, lacking_numbers, words_within
from ragvigil.scorer.checks.alignment.opening import by_timetable
from ragvigil.scorer.checks.alignment.reckoned import sums_of
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word

_ANSWERING_NO = re.compile(r"(?<![\w-])(?:no|nein|non|não)(?=\s?[:;\u2014]|,\s)", re.IGNORECASE)


class Said(NamedTuple):
    """What a claim says."""

    words: Sequence[Word]
    text: str
    places: list[int]
    """Which of the words are meaningful."""
    sequence: list[str]
    """Their stems."""
    stems: list[str]
    """Each of these once."""
    denying: bool
    telling: Sequence[Word]
    """The words without those that need not stand in the evidence."""
    hours: Disagreement
    """What it says of days and times, beside a record's."""
    miscounts: bool
    """Whether it shows how it works a number out, and that comes to another one; or tells another time of a day."""
    keeps_hours: bool
    """Whether what it says of days is as a line tells them that tells the opening hours."""
    asks: bool
    """Whether it is a question: what it names may be otherwise."""

    @classmethod
    def of(
        cls,
        claim: Sequence[Word],
        text: str,
        evidence: Evidence,
        ranges: Ranges,
        question: Collection[str],
    ) -> Self:
        """What `claim`, the words of `text`, says that `evidence` must hold; `ranges`: the days of that."""
        denying = denies_itself(claim, text)
        hours = compare(text, evidence.hours) if evidence.hours else AGREED
        other_hours = as_told = False
        asks = text.rstrip().endswith("?")
        if tells_a_weekday(claim, text) and evidence.timetable:
            found = (AGREED, False) if asks else by_timetable(text, evidence.timetable, denying=denying)
            hours, other_hours = found
            as_told = bool(hours.right) and not other_hours
        lacking = lacking_numbers(claim, evidence, question)
        sums = sums_of(claim, text, lacking, evidence, question)
        idle = idle_words(claim, text, lacking, evidence, ranges, hours.right) | sums.right
        places = [place for place, word in enumerate(claim) if word.content and word.stem not in FRAME_STEMS]
        telling = claim
        if idle:
            places = [place for place in places if place not in idle]
            telling = [word for place, word in enumerate(claim) if place not in idle]
        sequence = [claim[place].stem for place in places]
        return cls(
            claim,
            text,
            places,
            sequence,
            sorted(set(sequence)),
            denying,
            telling,
            hours,
            sums.wrong or other_hours,
            as_told,
            asks,
        )


def denies_itself(claim: Sequence[Word], text: str) -> bool:
    """Whether `claim`, the words of `text`, denies something; a *no* by itself answers: "then no: it goes by road"."""
    if not denies(claim):
        return False
    spans = [found.span() for found in _ANSWERING_NO.finditer(text)]
    answering = words_within(text, spans) if spans else frozenset[int]()
    return not answering or denies([word for place, word in enumerate(claim) if place not in answering])
