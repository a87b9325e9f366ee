"""Alignment: how one claim lies on the evidence, in figures that a small linear model can weigh.

Length, style and position are not among the figures: they tell who wrote an answer, not whether it is supported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import log1p

from ragvigil.scorer.checks.alignment.contradiction import contradiction_of, opposes
from ragvigil.scorer.checks.alignment.numbers import Numbers
from ragvigil.scorer.checks.reading.evidence import Evidence, Segment
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word, denies

FEATURES = (
    "coverage",
    "weighted_coverage",
    "best_segment",
    "best_pair",
    "best_passage",
    "hardly_covered",
    "hardly_in_a_pair",
    "bigrams",
    "best_segment_bigrams",
    "novel_share",
    "novel_peak",
    "novel_count",
    "novel_run",
    "novel_names",
    "novel_numbers",
    "numbers_elsewhere",
    "negation_mismatch",
    "novel_qualifiers",
    "covered_twice",
    "record",
    "record_denied",
    "record_missing",
    "record_novel",
)
"""What is measured of a claim, in the order of the fitted coefficients."""

_FULLY = frozenset(
    (
        "coverage",
        "weighted_coverage",
        "best_segment",
        "best_pair",
        "best_passage",
        "bigrams",
        "best_segment_bigrams",
    )
)
_NOTHING_TO_CARRY = tuple(float(name in _FULLY or name == "covered_twice") for name in FEATURES)
_MOST_PLACES = 400
_NEAR = 0.95


@dataclass(frozen=True, slots=True)
class Alignment:
    """One claim laid on the evidence."""

    figures: tuple[float, ...]
    """One value for each of FEATURES."""
    passages: tuple[int, ...]
    """Places of the passages that carry most of it, best first; empty when nothing does."""
    contradiction: str | None = None
    """Why a nearly identical sentence says otherwise: ``number`` or ``negation``."""
    unfounded_number: bool = False
    """Whether it holds a number that neither the evidence nor the question has."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How telling each stem is (inverse document frequency), from the fitted data."""

    known: Mapping[str, float]
    unknown: float

    def of(self, stems: Iterable[str]) -> float:
        """Their summed weight."""
        known, unknown = self.known, self.unknown
        return sum(known.get(one, unknown) for one in stems)


def align(
    claim: tuple[Word, ...], evidence: Evidence, question: Collection[str], weights: Weights
) -> Alignment:
    """`claim` laid on `evidence`; `question` holds the stems of the query, which are no invention of the answer."""
    sequence = [word.stem for word in claim if word.content and word.stem not in FRAME_STEMS]
    stems = sorted(set(sequence))
    if not stems:
        return Alignment(_NOTHING_TO_CARRY, ())
    total = weights.of(stems)
    denying = denies(claim)
    best, best_weight = _best(stems, evidence, weights, denying)
    rest = [one for one in stems if one not in best.content] if best is not None else []
    second, second_weight = _best(rest, evidence, weights, denying)
    carried, carrying = _passages(stems, evidence, weights)
    missing = [one for one in stems if one not in evidence.places and one not in question]
    numbers = Numbers.of(claim, evidence, question)
    figures = (
        1 - len(missing) / len(stems),
        1 - weights.of(missing) / total,
        best_weight / total,
        (best_weight + second_weight) / total,
        carried / total,
        max(0.0, 2 * weights.of(missing) / total - 1),
        max(0.0, 1 - 2 * (best_weight + second_weight) / total),
        *_pairs(sequence, evidence, best),
        *_novelty(missing, sequence, total, weights),
        _novel_names(claim, evidence, question),
        *numbers.figures([one for one in (best, second) if one]),
        float(best is not None and best_weight > 0.5 * total and opposes(claim, denying, best)),
        _novel_qualifiers(claim, best),
        sum(len(evidence.places.get(one, ())) > 1 for one in stems) / len(stems),
        *_record(denying, set(stems), evidence, best, weights.of(missing) / total),
    )
    return Alignment(
        figures,
        _carriers(carrying, best, second, second_weight / total),
        contradiction_of(claim, denying, best, numbers),
        bool(numbers.novel),
    )


def _best(
    stems: Collection[str], evidence: Evidence, weights: Weights, denying: bool
) -> tuple[Segment | None, float]:
    """The segment that holds most of `stems` by weight; of near equals one that denies as the claim does."""
    scores: dict[int, float] = defaultdict(float)
    for one in stems:
        weight = weights.known.get(one, weights.unknown)
        for place in evidence.places.get(one, ())[:_MOST_PLACES]:
            scores[place] += weight
    if not scores:
        return None, 0.0
    enough = _NEAR * max(scores.values())
    place = min(
        (place for place, score in scores.items() if score >= enough),
        key=lambda one: (evidence.segments[one].negated != denying, -scores[one], one),
    )
    return evidence.segments[place], scores[place]


def _passages(stems: Collection[str], evidence: Evidence, weights: Weights) -> tuple[float, dict[int, float]]:
    """The largest weight that one passage holds, and what each holds."""
    scores: dict[int, float] = defaultdict(float)
    for one in stems:
        weight = weights.known.get(one, weights.unknown)
        for passage in {
            evidence.segments[place].passage for place in evidence.places.get(one, ())[:_MOST_PLACES]
        }:
            scores[passage] += weight
    return max(scores.values(), default=0.0), scores


def _carriers(
    scores: dict[int, float], best: Segment | None, second: Segment | None, gain: float
) -> tuple[int, ...]:
    """The passage of the best sentence, one that adds much to it, and those that say as much."""
    if best is None:
        return ()
    carriers = [best.passage]
    if second is not None and gain >= 0.2:
        carriers.append(second.passage)
    most = max(scores.values())
    carriers += [
        one for one in sorted(scores) if scores[one] >= _NEAR * most and scores[one] >= scores[best.passage]
    ]
    return tuple(dict.fromkeys(carriers))


def _pairs(sequence: list[str], evidence: Evidence, best: Segment | None) -> tuple[float, float]:
    pairs = set(pairwise(sequence))
    if not pairs:
        return (1.0, 1.0) if best is not None else (0.0, 0.0)
    content = [word.stem for word in best.words if word.content] if best is not None else []
    local = pairs.intersection(pairwise(content))
    return len(pairs & evidence.pairs) / len(pairs), len(local) / len(pairs)


def _novelty(novel: list[str], sequence: list[str], total: float, weights: Weights) -> tuple[float, ...]:
    if not novel:
        return (0.0, 0.0, 0.0, 0.0)
    run = longest = 0
    inventions = set(novel)
    for one in sequence:
        run = run + 1 if one in inventions else 0
        longest = max(longest, run)
    peak = max(weights.known.get(one, weights.unknown) for one in novel)
    return weights.of(novel) / total, peak / weights.unknown, log1p(len(novel)), log1p(longest)


def _novel_names(claim: tuple[Word, ...], evidence: Evidence, question: Collection[str]) -> float:
    names = {word.stem for word in claim[1:] if word.name and word.content}
    return log1p(sum(name not in evidence.places and name not in question for name in names))


def _novel_qualifiers(claim: tuple[Word, ...], best: Segment | None) -> float:
    there = {word.stem for word in best.words} if best is not None else set[str]()
    return log1p(sum(word.qualifier and word.stem not in there for word in claim))


def _record(
    denying: bool, stems: set[str], evidence: Evidence, best: Segment | None, novel: float
) -> tuple[float, float, float, float]:
    """Whether the best evidence is a record's value, and whether the claim names one that is false or missing."""
    if not evidence.absences:
        return 0.0, 0.0, 0.0, 0.0
    is_record = float(best is not None and bool(best.key))
    if denying:
        return is_record, 0.0, 0.0, novel
    named = [kind for name, kind in evidence.absences if name <= stems]
    return is_record, log1p(named.count("false")), log1p(named.count("null")), novel
