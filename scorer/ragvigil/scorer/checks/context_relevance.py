"""context_relevance: share of the passages that hold half of the question's key terms or more.

Range [0, 1]. It stands in, by words alone, for the judge's `context_relevant_share`: the target of 0.7 (docs/judge.md)
is set for that one. Terms are weighted as in `evidence_sufficiency`. None where that has no value; nothing retrieved
has none.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

RELEVANT = 0.5
"""Weighted share of the key terms from which a passage counts as relevant."""


def _measure(prepared: Prepared) -> Finding:
    why = unmeasurable(prepared)
    if why is not None:
        return Finding(None, why)
    held = [
        share for share, one in zip(prepared.relevance, prepared.record.documents, strict=True) if one.text
    ]
    relevant = sum(share >= RELEVANT for share in held)
    return Finding(
        relevant / len(held), _short(relevant, len(held)), {"passages": len(held), "relevant": relevant}
    )


def _short(relevant: int, passages: int) -> str | None:
    """Why the share is not 1."""
    if relevant == passages:
        return None
    return f"{relevant or 'none'} of {passages} passages {'holds' if relevant == 1 else 'hold'} half of what was asked"


def unmeasurable(prepared: Prepared) -> str | None:
    """Why nothing can be said about the passages' relevance; None where it can."""
    if not prepared.has_evidence:
        return "there is no evidence text"
    if not prepared.key_terms:
        return "the question has no key terms"
    return prepared.asked_incomparably


CHECK = Check("context_relevance", "3", _measure, cost="question")
