"""copied_share: share of the claims' words that stand in the sentence that carries them, six in a row or more.

Range [0, 1], neither end is good by itself: extractive fragment coverage (Grusky et al., NAACL 2018) with
fragments of six words, looked for in the nearest sentence of the evidence. High is a service that recites. None
without claims or evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

_RUN = 6


def _measure(prepared: Prepared) -> Finding:
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    if not prepared.bears_claims:
        return Finding(None, "the answer makes no claim")
    read = {one.start: one.words for one in prepared.statements}
    claims = [(claim, [word.stem for word in read[claim.start]]) for claim in prepared.assessment.claims]
    near = {(one.nearest.passage, one.nearest.start) for one, _ in claims if one.nearest is not None}
    sentences = _sentences(prepared, near)
    copied = sum(
        _covered(mine, sentences.get((claim.nearest.passage, claim.nearest.start), ()))
        for claim, mine in claims
        if claim.nearest is not None and len(mine) >= _RUN
    )
    total = sum(len(mine) for _, mine in claims)
    return Finding(round(copied / total, 6), details={"words": total, "copied": copied})


def _sentences(prepared: Prepared, wanted: Collection[tuple[str, int]]) -> dict[tuple[str, int], list[str]]:
    """The stems of the evidence's sentences that begin at one of the `wanted` places, (passage, offset)."""
    evidence, starts = prepared.evidence, {start for _, start in wanted}
    found: dict[tuple[str, int], list[str]] = {}
    for segment in evidence.segments:
        if (
            segment.span is not None
            and segment.offset is not None
            and segment.offset + segment.span[0] in starts
        ):
            place = (evidence.names[segment.passage], segment.offset + segment.span[0])
            if place in wanted:
                found[place] = [word.stem for word in segment.words]
    return found


def _covered(mine: Sequence[str], theirs: Sequence[str]) -> int:
    """How many of `mine` stand in a run of six that `theirs` has."""
    if len(set(mine).intersection(theirs)) < _RUN // 2:
        return 0
    runs = {tuple(theirs[place : place + _RUN]) for place in range(len(theirs) - _RUN + 1)}
    inside = bytearray(len(mine))
    for place in range(len(mine) - _RUN + 1):
        if tuple(mine[place : place + _RUN]) in runs:
            inside[place : place + _RUN] = b"\x01" * _RUN
    return sum(inside)


CHECK = Check("copied_share", "1", _measure, better="neither", cost="claims")
