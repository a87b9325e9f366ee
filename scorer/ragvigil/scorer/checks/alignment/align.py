"""Alignment: how one claim lies on the evidence, in figures that a fitted model can weigh.

Length, style and position are not among the figures: they tell who wrote an answer, not whether it is supported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import chain, islice, pairwise
from math import log1p
from typing import NamedTuple

from ragvigil.scorer.checks.alignment.cells import is_misplaced
from ragvigil.scorer.checks.alignment.contradiction import contradiction_of, corrects, opposes
from ragvigil.scorer.checks.alignment.days import Ranges
from ragvigil.scorer.checks.alignment.denied import is_denied
from ragvigil.scorer.checks.alignment.excepted import is_said_of_the_exception
from ragvigil.scorer.checks.alignment.exchanged import is_exchanged
from ragvigil.scorer.checks.alignment.flags import FLAGS, flag_figures
from ragvigil.scorer.checks.alignment.idle import words_within
from ragvigil.scorer.checks.alignment.laid import NO_STEMS, Laid, lay
from ragvigil.scorer.checks.alignment.misread import is_misread
from ragvigil.scorer.checks.alignment.novelty import novel_names, novel_qualifiers, novelty
from ragvigil.scorer.checks.alignment.other_days import names_another_day
from ragvigil.scorer.checks.alignment.overlap import Stemmed, Weights, overlaps
from ragvigil.scorer.checks.alignment.own_record import is_of_another_record
from ragvigil.scorer.checks.alignment.parts import is_of_another_part
from ragvigil.scorer.checks.alignment.permission import permits_otherwise
from ragvigil.scorer.checks.alignment.renamed import is_renamed
from ragvigil.scorer.checks.alignment.runs import runs
from ragvigil.scorer.checks.alignment.said import Said
from ragvigil.scorer.checks.alignment.tokens import Surroundings, Token, read_tokens
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.timetable import tells_hours
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word

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
    "in_runs",
    "longest_run",
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
        "in_runs",
        "longest_run",
        "covered_twice",
    )
)
_NOTHING_TO_CARRY = tuple(float(name in _FULLY) for name in FIGURES)
_NOTHING_NOVEL = (0.0,) * 5
_NO_FLAGS = (0.0,) * len(FLAGS)
_NO_RECORD = (0.0, 0.0, *_NO_FLAGS)
_FEW_SEGMENTS = 8
_NEARLY_ALL = 0.8


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
    """What a sentence, a table or a record says otherwise: ``number``, ``negation`` or ``roles``."""
    unfounded_number: bool = False
    """Whether it holds a number that neither the evidence nor the question has, or that counts something else."""
    renamed: bool = False
    """Whether it holds a name that is found nowhere where the best sentence has another one."""


_alignment = partial(tuple[object, ...].__new__, Alignment)
_IDLE = Alignment(_NOTHING_TO_CARRY, [], ())
"""Of a claim without a meaningful word."""


class Stated(NamedTuple):
    """The claims of one answer."""

    claims: Sequence[tuple[Sequence[Word], str]]
    """Of each its words and its text."""
    evidence: Evidence
    question: Collection[str]
    """Stems of the query, which none invented."""


def align(answers: Sequence[Stated], weights: Weights) -> list[list[Alignment]]:
    """Each claim of each answer on its evidence.

    Those of all answers go through one step after the other, so that its code stays in the processor's cache.
    """
    said = [_said(one) for one in answers]
    stemmed = [
        Stemmed([one.stems for one in each], [one.denying for one in each], evidence)
        for each, (_, evidence, _) in zip(said, answers, strict=True)
    ]
    overs = iter(overlaps(stemmed, weights))
    laid = [
        one
        for each, (_, evidence, question) in zip(said, answers, strict=True)
        for one in lay(each, list(islice(overs, len(each))), evidence, question, weights)
    ]
    columns = (
        _figures(laid),
        [_tokens(one) for one in laid],
        [one.over.carriers(one.evidence) for one in laid],
        [one.best for one in laid],
        [_contradicted(one) for one in laid],
        [bool(one.numbers.novel) or _is_misread(one) for one in laid],
        [_is_renamed(one) for one in laid],
    )
    found = map(_alignment, zip(*columns, strict=True))
    return [[next(found) if one.places else _IDLE for one in each] for each in said]


def _said(answer: Stated) -> list[Said]:
    claims, evidence, question = answer
    ranges = Ranges(evidence.segments)
    return [Said.of(*claim, evidence, ranges, question) for claim in claims]


def _coverage(one: Laid) -> tuple[float, ...]:
    """From `coverage` to `hardly_in_a_pair`."""
    over, novel = one.over, one.novel
    total = over.total
    pair = (over.in_best + over.in_second) / total
    return (
        1 - len(one.missing) / len(one.said.stems),
        1 - novel,
        over.in_best / total,
        pair,
        over.around / total,
        over.most / total,
        max(0.0, 2 * novel - 1),
        max(0.0, 1 - 2 * pair),
    )


def _pairs(one: Laid) -> tuple[float, float]:
    """The share of pairs of neighbours that the evidence has, and that the best sentence has."""
    pairs = dict(zip(pairwise(one.said.sequence), one.linked, strict=True))
    if not pairs:
        return (1.0, 1.0) if one.best is not None else (0.0, 0.0)
    held = sum(pairs.values())
    local = len(one.best.pairs.intersection(pairs)) if held and one.best is not None else 0
    return held / len(pairs), local / len(pairs)


def _runs(one: Laid) -> tuple[float, float]:
    """`in_runs` and `longest_run`: shares of its words, those that carry no meaning among them."""
    return runs(one.threes, len(one.said.words))


def _novelty(one: Laid) -> tuple[float, ...]:
    """From `novel_share` to `kindred_share`."""
    missing, weight = one.missing, one.weight
    if not missing:
        return _NOTHING_NOVEL
    kin = one.evidence.kin
    kindred = sum([weight[stem] for stem in missing if stem in kin]) / one.over.total
    return (*novelty(missing, one.said.sequence, one.novel, weight, one.unknown), kindred)


def _names(one: Laid) -> tuple[float, float]:
    """`novel_names` and `names_elsewhere`."""
    return novel_names(one.said.words, one.evidence, one.question, one.carried)


def _numbers(one: Laid) -> tuple[float, float, float]:
    """From `novel_numbers` to `numbers_elsewhere`."""
    return one.numbers.figures([nearest for nearest in (one.best, one.second) if nearest])


def _differences(one: Laid) -> tuple[float, float, float]:
    """From `negation_mismatch` to `covered_twice`."""
    said, over, best = one.said, one.over, one.best
    near = best is not None and over.in_best > 0.5 * over.total and not said.keeps_hours
    return (
        float(near and best is not None and opposes(said.words, said.text, said.denying, best)),
        novel_qualifiers(said.words, best),
        over.repeated / len(said.stems),
    )


def _record(one: Laid) -> tuple[float, ...]:
    """From `record` to the last of the flags."""
    if not one.evidence.flags:
        return _NO_RECORD
    best = one.best
    carried = best is not None and bool(best.path) and best.span is None
    return (float(carried), one.novel, *(flag_figures(one.flags) if one.flags else _NO_FLAGS))


def _hours(one: Laid) -> tuple[float, ...]:
    """From `shut_days` to `hours_agreed`."""
    return one.said.hours.figures


def _about(one: Laid) -> tuple[float, float, float]:
    """From `about_evidence` to `little_evidence`."""
    about = log1p(sum([word.stem in FRAME_STEMS for word in one.said.words]))
    return about, about * one.said.denying, 1 / (1 + len(one.evidence.segments) / _FEW_SEGMENTS)


_GROUPS: tuple[Callable[[Laid], tuple[float, ...]], ...] = (
    *(_coverage, _pairs, _runs, _novelty, _names, _numbers, _differences, _record, _hours, _about),
)
"""What gives the FIGURES, in their order."""


def _figures(laid: Sequence[Laid]) -> list[tuple[float, ...]]:
    """FIGURES of each claim: one group of all claims after the other, so that its code stays in the cache."""
    groups = [list(map(group, laid)) for group in _GROUPS]
    return [tuple(chain.from_iterable(of_one)) for of_one in zip(*groups, strict=True)]


def _tokens(one: Laid) -> list[Token]:
    said, second = one.said, one.second
    surroundings = Surroundings(
        one.evidence,
        one.question,
        one.carried,
        NO_STEMS if second is None else second.content,
        one.flags,
        words_within(said.text, said.hours.spans) if said.hours.spans else frozenset(),
        one.linked,
    )
    weights = [one.weight[stem] / one.unknown for stem in said.sequence]
    return read_tokens(said.words, said.places, weights, surroundings)


def _is_misread(one: Laid) -> bool:
    return one.best is not None and is_misread(one.said.words, one.said.text, one.best, one.evidence)


def _is_misplaced(one: Laid) -> bool:
    said, best, place, evidence = one.said.words, one.best, one.over.best, one.evidence
    if best is None or place is None:
        return False
    if is_misplaced(said, best, place, evidence) or is_of_another_record(said, evidence):
        return True
    return is_of_another_part(said, one.said.text, best, place, evidence)


def _is_renamed(one: Laid) -> bool:
    return one.best is not None and is_renamed(*one.said[:2], one.best, one.evidence, one.question)


def _contradicted(one: Laid) -> str | None:
    """How the best sentence contradicts a claim, unless the next one says that it is so now."""
    said, best, place, segments = one.said, one.best, one.over.best, one.evidence.segments
    if best is None or place is None:
        return None
    if said.miscounts or one.numbers.crossed:
        return "number"
    says_so = not said.asks and said.denying == best.negated
    if says_so and names_another_day(said.words, said.text, best, one.evidence):
        return "number"
    if said.keeps_hours and best.span is not None and tells_hours(best.sentence):
        return None  # not open on Sunday is closed on it, and open on Saturday is not
    found = contradiction_of(said.words, said.text, said.denying, best, one.numbers)
    if found is None:
        if permits_otherwise(*said[:2], best, place, one.evidence):
            return "negation"
        if not said.asks and is_said_of_the_exception(*said[:2], said.denying, best, place, one.evidence):
            return "negation"
        return _says_otherwise(one, best, place)
    if found != "number" or place + 1 == len(segments):
        return found
    return None if corrects(segments[place + 1], said.words, best) else found


def _says_otherwise(one: Laid, best: Segment, place: int) -> str | None:
    """What a table, a record, another part of a sentence or the order of its words says otherwise."""
    if not one.numbers.novel and _is_misplaced(one):
        return "number"
    said, over, evidence = one.said, one.over, one.evidence
    if over.around < _NEARLY_ALL * over.total or all(one.linked):
        return None  # as nearly always: it says more than is there, or quotes
    quotes = over.in_best >= _NEARLY_ALL * over.total
    if quotes and said.denying == best.negated and is_exchanged(said.text, best, evidence):
        return "roles"
    return "negation" if not said.denying and is_denied(said.words, place, over.second, evidence) else None
