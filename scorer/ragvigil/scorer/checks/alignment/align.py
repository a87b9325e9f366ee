"""Alignment: how one claim lies on the evidence, in figures that a fitted model can weigh.

Length, style and position are not among the figures: they tell who wrote an answer, not whether it is supported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log1p

from ragvigil.scorer.checks.alignment.contradiction import contradiction_of, opposes
from ragvigil.scorer.checks.alignment.flags import FLAGS, flags_of
from ragvigil.scorer.checks.alignment.hours import AGREED, compare
from ragvigil.scorer.checks.alignment.novelty import novel_names, novel_qualifiers, novelty
from ragvigil.scorer.checks.alignment.numbers import Numbers
from ragvigil.scorer.checks.alignment.tokens import Surroundings, Token, read_tokens
from ragvigil.scorer.checks.reading.evidence import Evidence, Segment
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
    "tells_hours",
    "hours_agreed",
    "about_evidence",
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
_MOST_PLACES = 400
_NEAR = 0.95
_FEW_SEGMENTS = 8


@dataclass(frozen=True, slots=True)
class Alignment:
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


@dataclass(frozen=True, slots=True)
class Weights:
    """How telling each stem is (inverse document frequency), from the fitted data."""

    known: Mapping[str, float]
    unknown: float

    def of(self, stems: Iterable[str]) -> float:
        """Their summed weight."""
        known, unknown = self.known, self.unknown
        return sum([known.get(one, unknown) for one in stems])


def align(
    claim: Sequence[Word], text: str, evidence: Evidence, question: Collection[str], weights: Weights
) -> Alignment:
    """`claim`, the words of `text`, on `evidence`; `question`: stems of the query, which the answer did not invent."""
    places = [place for place, word in enumerate(claim) if word.content and word.stem not in FRAME_STEMS]
    if not places:
        return Alignment(_NOTHING_TO_CARRY, [], ())
    sequence = [claim[place].stem for place in places]
    stems = sorted(set(sequence))
    known, unknown = weights.known, weights.unknown
    weight = {one: known.get(one, unknown) for one in stems}
    total = sum(weight.values())
    denying = denies(claim)
    place, best_weight = _best(weight, evidence, denying)
    best = evidence.segments[place] if place is not None else None
    carried = best.content if best is not None else frozenset[str]()
    another, second_weight = _best(
        {one: weight[one] for one in stems if one not in carried}, evidence, denying
    )
    second = evidence.segments[another] if another is not None else None
    most, carrying = _passages(weight, evidence)
    missing = [one for one in stems if one not in evidence.places and one not in question]
    novel = sum([weight[one] for one in missing]) / total
    pair = (best_weight + second_weight) / total
    numbers = Numbers.of(claim, evidence, question)
    around = evidence.around(place) if place is not None else frozenset[str]()
    disagreement = compare(text, evidence.hours) if evidence.hours else AGREED
    flags = flags_of(claim, text, evidence) if evidence.flags else {}
    figures = (
        1 - len(missing) / len(stems),
        1 - novel,
        best_weight / total,
        pair,
        sum([weight[one] for one in stems if one in around]) / total,
        most / total,
        max(0.0, 2 * novel - 1),
        max(0.0, 1 - 2 * pair),
        *_pairs(sequence, evidence, best),
        *novelty(missing, sequence, novel, weight, unknown),
        sum([weight[one] for one in missing if one in evidence.kin]) / total,
        *novel_names(claim, evidence, question, carried),
        *numbers.figures([one for one in (best, second) if one]),
        float(best is not None and best_weight > 0.5 * total and opposes(claim, denying, best)),
        novel_qualifiers(claim, best),
        sum([len(evidence.places.get(one, ())) > 1 for one in stems]) / len(stems),
        float(bool(evidence.flags) and best is not None and bool(best.path) and best.span is None),
        novel if evidence.flags else 0.0,
        *(_flag_figures(flags) if flags else _NO_FLAGS),
        *disagreement.figures,
        log1p(sum([word.stem in FRAME_STEMS for word in claim])),
        1 / (1 + len(evidence.segments) / _FEW_SEGMENTS),
    )
    surroundings = Surroundings(
        evidence,
        question,
        carried,
        second.content if second is not None else frozenset(),
        flags,
        _words_within(text, disagreement.spans) if disagreement.spans else frozenset(),
    )
    return Alignment(
        figures,
        read_tokens(claim, places, [weight[one] / unknown for one in sequence], surroundings),
        _carriers(carrying, best, second, second_weight / total),
        best,
        contradiction_of(claim, text, denying, best, numbers),
        bool(numbers.novel),
    )


def _best(weight: Mapping[str, float], evidence: Evidence, denying: bool) -> tuple[int | None, float]:
    """The segment that holds most stems by `weight`; of near equals one that denies as the claim does."""
    scored = _in_many if evidence.density * len(weight) >= 1 else _in_few
    scores, close = scored(weight, evidence)
    if not close:
        return None, 0.0
    if len(close) == 1:
        return close[0], scores[close[0]]
    close.sort()
    close.sort(key=scores.__getitem__, reverse=True)
    negated = evidence.segments.negated
    place = next((one for one in close if negated(one) == denying), close[0])
    return place, scores[place]


def _in_few(
    weight: Mapping[str, float], evidence: Evidence
) -> tuple[dict[int, float] | list[float], list[int]]:
    """What each segment holds, and which hold nearly as much as the one that holds most."""
    scores: dict[int, float] = defaultdict(float)
    for one, share in weight.items():
        for place in evidence.places.get(one, ())[:_MOST_PLACES]:
            scores[place] += share
    enough = _NEAR * max(scores.values(), default=0.0)
    return scores, [place for place, score in scores.items() if score >= enough]


def _in_many(
    weight: Mapping[str, float], evidence: Evidence
) -> tuple[dict[int, float] | list[float], list[int]]:
    """The same, in three fifths of the time where most segments hold something."""
    scores = [0.0] * len(evidence.segments)
    for one, share in weight.items():
        for place in evidence.places.get(one, ())[:_MOST_PLACES]:
            scores[place] += share
    enough = _NEAR * max(scores)
    return scores, [place for place, score in enumerate(scores) if score >= enough] if enough else []


def _passages(weight: Mapping[str, float], evidence: Evidence) -> tuple[float, dict[int, float]]:
    """The largest weight that one passage holds, and what each holds."""
    scores: dict[int, float] = defaultdict(float)
    for one, share in weight.items():
        for passage in evidence.passages_of(one):
            scores[passage] += share
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
    enough = max(_NEAR * max(scores.values()), scores[best.passage])
    carriers += [one for one in sorted(scores) if scores[one] >= enough]
    return tuple(dict.fromkeys(carriers))


def _pairs(sequence: list[str], evidence: Evidence, best: Segment | None) -> tuple[float, float]:
    pairs = set(pairwise(sequence))
    if not pairs:
        return (1.0, 1.0) if best is not None else (0.0, 0.0)
    local = len(pairs & best.pairs) if best is not None else 0
    return len(pairs & evidence.pairs) / len(pairs), local / len(pairs)


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
