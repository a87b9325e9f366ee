"""Holding a reply against the trace: what can be decided without a model is decided here, and overrides it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.judge.reply import ReplyClaim
from ragvigil.scorer.verdict import Claim

_SAME = 0.6
"""Share of a claim's words that a stretch of the answer must hold to be where the claim was made."""
_MISSED = 0.5
"""Share of a statement's words that the judge's claims must hold for it to have been judged."""
_PROBABILITY = {"supported": 1.0, "partial": 0.5, "unsupported": 0.0}


@dataclass(frozen=True, slots=True)
class Verified:
    """Claims that stand, and what was wrong with the reply."""

    claims: tuple[Claim, ...]
    flags: tuple[str, ...]
    missed: int
    """Statements of the answer that need evidence and that no claim is about."""


def verify(claims: Sequence[ReplyClaim], prepared: Prepared) -> Verified:
    """Claims that are found in the answer, with passages that exist; everything else is flagged.

    A claim called supported by no passage that exists is unsupported: a judge that was talked into a verdict, or
    made it up, names none or invents one.
    """
    known = {name_of(document) for document in prepared.record.documents}
    flags: list[str] = []
    found: list[Claim] = []
    for claim in claims:
        place = _place(claim.claim, prepared)
        if place is None:
            flags.append("claim_not_in_answer")
            continue
        passages = tuple(dict.fromkeys(one for one in map(_bare, claim.supported_by) if one in known))
        if len(passages) < len(set(claim.supported_by)):
            flags.append("unknown_passage")
        verdict = claim.verdict
        if verdict != "unsupported" and not passages:
            verdict = "unsupported"
            flags.append("support_without_passage")
        start, end = place
        found.append(Claim(prepared.answer[start:end], start, end, passages, verdict, _PROBABILITY[verdict]))
    missed = _missed(claims, prepared)
    if missed:
        flags.append("statements_not_judged")
    return Verified(tuple(found), tuple(dict.fromkeys(flags)), missed)


def _bare(identifier: str) -> str:
    """An id without the brackets that models like to leave around it."""
    return identifier.strip().removeprefix("[").removesuffix("]")


def _place(claim: str, prepared: Prepared) -> tuple[int, int] | None:
    """Where in the answer a claim was made: word for word, else the statement that shares most words with it."""
    at = prepared.answer.find(claim)
    if at >= 0 and claim.strip():
        return at, at + len(claim)
    said = _stems(claim)
    if not said:
        return None
    shared, place = max(
        ((len(said & _of(one)) / len(said), (one.start, one.end)) for one in prepared.statements),
        default=(0.0, (0, 0)),
    )
    return place if shared >= _SAME else None


def _missed(claims: Sequence[ReplyClaim], prepared: Prepared) -> int:
    said = {stem for claim in claims for stem in _stems(claim.claim)}
    return sum(
        1
        for one in prepared.statements
        if one.checkworthy and one.kind != "refusal" and len(_of(one) & said) < _MISSED * len(_of(one))
    )


def _stems(text: str) -> set[str]:
    return {word.stem for word in words(text) if word.content}


def _of(statement: Statement) -> set[str]:
    return {word.stem for word in statement.words if word.content}
