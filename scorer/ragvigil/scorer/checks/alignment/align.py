"""Alignment: how one claim lies on the evidence, in figures that a fitted model can weigh.

Length, style and position are not among the figures: they tell who wrote an answer, not whether it is supported.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from math import log1p
from typing import NamedTuple, Self

from ragvigil.scorer.checks.alignment.contradiction import contradiction_of, corrects, opposes
from ragvigil.scorer.checks.alignment.days import Ranges, tells_a_day
from ragvigil.scorer.checks.alignment.flags import FLAGS, flags_of
from ragvigil.scorer.checks.alignment.hours import AGREED, Disagreement, compare
from ragvigil.scorer.checks.alignment.novelty import novel_names, novel_qualifiers, novelty
from ragvigil.scorer.checks.alignment.numbers import Numbers, idle_numbers, is_novel
from ragvigil.scorer.checks.alignment.overlap import Overlap, Weights, overlaps
from ragvigil.scorer.checks.alignment.tokens import Surroundings, Token, read_tokens
from ragvigil.scorer.checks.alignment.wider import wider_values
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word, denies, offsets

FIGURES = (
    "coverage",
    "weighted_coverage",
    "best_segment",
    "best_pair",
    "best_window",
    "best_passage",
    "hardly_covered",
    "hardly_in_a_pair",
    "bigrams",
    "best_segment_bigrams",
    "novel_share",
    "novel_peak",
    "novel_count",
    "novel_run",
    "kindred_share",
    "novel_names",
    "names_elsewhere",
    "novel_numbers",
    "novel_tallies",
    "numbers_elsewhere",
    "negation_mismatch",
    "novel_qualifiers",
    "covered_twice",
    "record",
    "record_novel",
    *FLAGS,
    "shut_days",
    "other_times",
    "other_hours",
    "hours_disagree",
    "tells_hours",
    "hours_agreed",
    "about_evidence",
    "evidence_lacks",
    "little_evidence",
)
"""What is measured of a claim as a whole, in the order of the fitted coefficients."""

_FULLY = frozenset(
    (
        "coverage",
        "weighted_coverage",
        "best_segment",
        "best_pair",
        "best_window",
        "best_passage",
        "bigrams",
        "best_segment_bigrams",
        "covered_twice",
    )
)
_NOTHING_TO_CARRY = tuple(float(name in _FULLY) for name in FIGURES)
_NO_FLAGS = (0.0,) * len(FLAGS)
_FEW_SEGMENTS = 8


class Alignment(NamedTuple):
    """One claim laid on the evidence."""

    figures: tuple[float, ...]
    """One value for each of FIGURES."""
    tokens: list[Token]
    """Its meaningful words."""
    passages: tuple[int, ...]
    """Places of the passages that carry most of it, best first; empty when nothing does."""
    best: Segment | None = None
    """What carries most of it."""
    contradiction: str | None = None
    """Why a nearly identical sentence says otherwise: ``number`` or ``negation``."""
    unfounded_number: bool = False
    """Whether it holds a number that neither the evidence nor the question has."""


def align(
    claims: Sequence[tuple[Sequence[Word], str]],
    evidence: Evidence,
    question: Collection[str],
    weights: Weights,
) -> list[Alignment]:
    """Each of `claims`, its words and its text, on `evidence`; `question`: stems of the query, which none invented."""
    ranges = Ranges(evidence.segments)
    said = [_Said.of(*claim, evidence, ranges) for claim in claims]
    laid = overlaps([one.stems for one in said], [one.denying for one in said], evidence, weights)
    return [_aligned(one, over, evidence, question, weights) for one, over in zip(said, laid, strict=True)]


class _Said(NamedTuple):
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

    @classmethod
    def of(cls, claim: Sequence[Word], text: str, evidence: Evidence, ranges: Ranges) -> Self:
        """What `claim`, the words of `text`, says that `evidence` must hold; `ranges`: the days of that."""
        hours = compare(text, evidence.hours) if evidence.hours else AGREED
        idle = _idle(claim, text, evidence, ranges, hours.right)
        places = [place for place, word in enumerate(claim) if word.content and word.stem not in FRAME_STEMS]
        telling = claim
        if idle:
            places = [place for place in places if place not in idle]
            telling = [word for place, word in enumerate(claim) if place not in idle]
        sequence = [claim[place].stem for place in places]
        return cls(claim, text, places, sequence, sorted(set(sequence)), denies(claim), telling, hours)


def _aligned(
    said: _Said, over: Overlap, evidence: Evidence, question: Collection[str], weights: Weights
) -> Alignment:
    """One claim on the evidence, given how they overlap."""
    claim, text, places, sequence, stems, denying, telling, hours = said
    if not places:
        return Alignment(_NOTHING_TO_CARRY, [], ())
    weight, unknown, total = dict(zip(stems, over.weights, strict=True)), weights.unknown, over.total
    best = evidence.segments[over.best] if over.best is not None else None
    second = evidence.segments[over.second] if over.second is not None else None
    carried = best.content if best is not None else frozenset[str]()
    missing = [one for one in stems if one not in evidence.places and one not in question]
    novel = sum([weight[one] for one in missing]) / total
    pair = (over.in_best + over.in_second) / total
    linked = evidence.linked(sequence)
    numbers = Numbers.of(telling, evidence, question)
    flags = flags_of(claim, text, evidence) if evidence.flags else {}
    about = log1p(sum([word.stem in FRAME_STEMS for word in claim]))
    figures = (
        1 - len(missing) / len(stems),
        1 - novel,
        over.in_best / total,
        pair,
        over.around / total,
        max(over.passages, default=0.0) / total,
        max(0.0, 2 * novel - 1),
        max(0.0, 1 - 2 * pair),
        *_pairs(sequence, linked, best),
        *novelty(missing, sequence, novel, weight, unknown),
        sum([weight[one] for one in missing if one in evidence.kin]) / total,
        *novel_names(claim, evidence, question, carried),
        *numbers.figures([one for one in (best, second) if one]),
        float(best is not None and over.in_best > 0.5 * total and opposes(claim, denying, best)),
        novel_qualifiers(claim, best),
        over.repeated / len(stems),
        float(bool(evidence.flags) and best is not None and bool(best.path) and best.span is None),
        novel if evidence.flags else 0.0,
        *(_flag_figures(flags) if flags else _NO_FLAGS),
        *hours.figures,
        about,
        about * denying,
        1 / (1 + len(evidence.segments) / _FEW_SEGMENTS),
    )
    surroundings = Surroundings(
        evidence,
        question,
        carried,
        second.content if second is not None else frozenset(),
        flags,
        _words_within(text, hours.spans) if hours.spans else frozenset(),
        linked,
    )
    return Alignment(
        figures,
        read_tokens(claim, places, [weight[one] / unknown for one in sequence], surroundings),
        over.carriers(evidence),
        best,
        _contradicted(claim, text, denying, evidence, over, numbers),
        bool(numbers.novel),
    )


def _contradicted(
    claim: Sequence[Word], text: str, denying: bool, evidence: Evidence, over: Overlap, numbers: Numbers
) -> str | None:
    """How the best sentence contradicts `claim`, unless the next one says that it is so now."""
    if over.best is None:
        return None
    best = evidence.segments[over.best]
    found = contradiction_of(claim, text, denying, best, numbers)
    if found != "number" or over.best + 1 == len(evidence.segments):
        return found
    return None if corrects(evidence.segments[over.best + 1], claim, best) else found


def _idle(
    claim: Sequence[Word],
    text: str,
    evidence: Evidence,
    ranges: Ranges,
    hours: Sequence[tuple[int, int]],
) -> frozenset[int]:
    """Words that need not stand in the evidence: numbers that are no facts, and days and `hours` that are right."""
    right = _words_within(text, hours) if hours else frozenset[int]()
    lacking = [
        place for place, word in enumerate(claim) if word.numbers and is_novel(word.numbers, evidence.numbers)
    ]
    if not lacking:
        return right
    idle = idle_numbers(claim, text, lacking, hours=bool(evidence.hours))
    if tells_a_day(claim) and (days := ranges.holding(text)):
        idle |= _words_within(text, days)
    if wider := wider_values(claim, text, evidence):
        idle |= _words_within(text, wider)
    return right.union(idle.intersection(lacking))


def _pairs(sequence: list[str], linked: list[bool], best: Segment | None) -> tuple[float, float]:
    """The share of pairs of neighbours that the evidence has, being `linked` there, and that the best sentence has."""
    pairs = dict(zip(pairwise(sequence), linked, strict=True))
    if not pairs:
        return (1.0, 1.0) if best is not None else (0.0, 0.0)
    local = len(pairs.keys() & best.pairs) if best is not None else 0
    return sum(pairs.values()) / len(pairs), local / len(pairs)


def _flag_figures(flags: Mapping[int, int]) -> tuple[float, ...]:
    """For each of FLAGS: how many words name such a one, as a logarithm."""
    seen = list(flags.values())
    return tuple(log1p(seen.count(one)) for one in range(len(FLAGS)))


def _words_within(text: str, spans: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Which words of `text` touch one of `spans`."""
    return frozenset(
        place
        for place, (first, last) in enumerate(offsets(text))
        if any(first < end and last > start for start, end in spans)
    )
