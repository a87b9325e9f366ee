"""Laid claims: each beside what the evidence has of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import repeat
from types import MappingProxyType
from typing import NamedTuple

from ragvigil.scorer.checks.alignment.crossed import crossed_number
from ragvigil.scorer.checks.alignment.flags import flags_of
from ragvigil.scorer.checks.alignment.numbers import Numbers
from ragvigil.scorer.checks.alignment.overlap import Overlap, Weights
from ragvigil.scorer.checks.alignment.said import Said
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.segments import Segment

_NO_FLAGS_NAMED: Mapping[int, int] = MappingProxyType({})
NO_STEMS: frozenset[str] = frozenset()


class Laid(NamedTuple):
    """A claim beside what the evidence has of it."""

    said: Said
    over: Overlap
    evidence: Evidence
    question: Collection[str]
    weight: Mapping[str, float]
    """Of each of its stems."""
    unknown: float
    """The weight of a stem that is known from nowhere."""
    best: Segment | None
    second: Segment | None
    carried: frozenset[str]
    """The stems of the best sentence."""
    missing: list[str]
    """The stems that neither the evidence nor the question has."""
    novel: float
    """Their share of the weight."""
    linked: list[bool]
    """Whether each meaningful word stands right before the next one in the evidence."""
    threes: list[bool]
    """Whether each three words in a row, of all its words, stand so in one sentence of the evidence."""
    numbers: Numbers
    flags: Mapping[int, int]
    """For a word that names a record's flag: how, as a place in FLAGS."""


_laid = partial(tuple[object, ...].__new__, Laid)


def lay(
    claims: Sequence[Said],
    overs: Sequence[Overlap],
    evidence: Evidence,
    question: Collection[str],
    weights: Weights,
) -> list[Laid]:
    """Those of the claims of one answer that have meaningful words, on the evidence, given how they overlap."""
    telling = [place for place, one in enumerate(claims) if one.places]
    said, overs = [claims[one] for one in telling], [overs[one] for one in telling]
    segments, places = evidence.segments, evidence.places
    weight = [dict(zip(one.stems, over.weights, strict=True)) for one, over in zip(said, overs, strict=True)]
    best = [None if over.best is None else segments[over.best] for over in overs]
    second = [None if over.second is None else segments[over.second] for over in overs]
    missing = [[one for one in each.stems if one not in places and one not in question] for each in said]
    novel = [
        sum([weighs[one] for one in lacking]) / over.total
        for lacking, weighs, over in zip(missing, weight, overs, strict=True)
    ]
    told = bool(evidence.flags)
    columns = (
        *(said, overs, repeat(evidence), repeat(question), weight, repeat(weights.unknown), best, second),
        [NO_STEMS if one is None else one.content for one in best],
        *(missing, novel),
        evidence.linked([one.sequence for one in said]),
        evidence.threes([[word.stem for word in one.words] for one in said]),
        [_numbers_of(*one, evidence, question) for one in zip(said, best, strict=True)],
        [flags_of(one.words, one.text, evidence, question) if told else _NO_FLAGS_NAMED for one in said],
    )
    return list(map(_laid, zip(*columns, strict=False)))


def _numbers_of(said: Said, best: Segment | None, evidence: Evidence, question: Collection[str]) -> Numbers:
    found = Numbers.of(said.telling, evidence, question)
    if best is None or said.asks or len(found.all) == len(found.novel):
        return found
    crossed = crossed_number(*said[:2], best, evidence)
    if crossed is None or any(one in question for one in crossed):
        return found  # as nearly always
    return Numbers(found.all, [*found.novel, crossed], crossed=True)
