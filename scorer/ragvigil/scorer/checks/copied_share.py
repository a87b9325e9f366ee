"""copied_share: share of the claims' words that stand in the sentence that carries them, six in a row or more.

Range [0, 1], neither end is good by itself: extractive fragment coverage (Grusky et al., NAACL 2018) with
fragments of six words, looked for in the nearest sentence of the evidence. High is a service that recites. None
without claims or evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, UNPARTED, Prepared
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.verdict import Source

_RUN = 6
_PART = 3
"""Words of a run that are looked for first; each run has such a part that begins at a multiple of four."""


def _measure(prepared: Prepared) -> Finding:
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    if not prepared.bears_claims:
        return Finding(None, "the answer makes no claim")
    if prepared.unparted:
        return Finding(None, UNPARTED)
    read = {one.start: one.words for one in prepared.statements}
    claims = [
        (claim, [word.stem for word in read.get(claim.start) or words(claim.text)])
        for claim in prepared.assessment.claims
    ]
    copied = sum(
        _covered(mine, _nearest(prepared.evidence, claim.nearest))
        for claim, mine in claims
        if claim.nearest is not None and len(mine) >= _RUN
    )
    total = sum(len(mine) for _, mine in claims)
    return Finding(round(copied / total, 6), details={"words": total, "copied": copied})


def _nearest(evidence: Evidence, nearest: Source) -> list[str]:
    """The stems of the evidence's sentence that begins where `nearest` does; none where that is no sentence."""
    found = evidence.sentences_at(nearest.passage, nearest.start)
    return [word.stem for word in evidence.segments[found[-1]].words] if found else []


def _covered(mine: Sequence[str], theirs: Sequence[str]) -> int:
    """How many of `mine` stand in a run of six that `theirs` has."""
    said = f" {' '.join(theirs)} "
    parts = [mine[place : place + _PART] for place in range(0, len(mine), _RUN - _PART + 1)]
    if not any(f" {' '.join(part)} " in said for part in parts):
        return 0  # as mostly
    runs = _runs(mine)
    shared = set(runs).intersection(_runs(theirs))
    if not shared:
        return 0
    inside = bytearray(len(mine))
    for place, run in enumerate(runs):
        if run in shared:
            inside[place : place + _RUN] = b"\x01" * _RUN
    return sum(inside)


def _runs(stems: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*[stems[place:] for place in range(_RUN)], strict=False))


CHECK = Check("copied_share", f"3+{VERSION}+{DEFAULT_MODEL}", _measure, better="neither", cost="claims")
