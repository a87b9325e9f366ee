"""Novelty: what a claim says that its evidence does not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log1p

from ragvigil.scorer.checks.reading.courtesy import CAPITALISED
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word


def novelty(
    novel: list[str], sequence: list[str], share: float, weight: Mapping[str, float], unknown: float
) -> tuple[float, ...]:
    """The share of the weight of `novel` stems, the heaviest, how many, and the longest run in `sequence`."""
    if not novel:
        return (0.0, 0.0, 0.0, 0.0)
    run = longest = 0
    inventions = set(novel)
    for one in sequence:
        run = run + 1 if one in inventions else 0
        longest = max(longest, run)
    peak = max([weight[one] for one in novel])
    return share, peak / unknown, log1p(len(novel)), log1p(longest)


def novel_names(
    claim: Sequence[Word], evidence: Evidence, question: Collection[str], best: Collection[str]
) -> tuple[float, float]:
    """How many names are found nowhere, and how many elsewhere than among the stems of the `best` sentence.

    Words that are only polite by their capital, as German *Ihrer*, are none.
    """
    names = {word.stem for word in claim[1:] if word.name and word.content and word.stem not in CAPITALISED}
    found = {name for name in names if name in evidence.places}
    novel = sum([name not in question for name in names - found])
    return log1p(novel), log1p(sum([name not in best for name in found]))


def novel_qualifiers(claim: Sequence[Word], best: Segment | None) -> float:
    """How many words that quantify or rank are not in the best sentence."""
    qualifiers = [word.stem for word in claim if word.qualifier]
    if not qualifiers:
        return 0.0
    there = {word.stem for word in best.words} if best is not None else set[str]()
    return log1p(sum(one not in there for one in qualifiers))
