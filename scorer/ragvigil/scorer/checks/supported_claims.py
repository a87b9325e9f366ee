"""supported_claims: supported claims over claims, a partial one counting one half (rubric G5).

Range [0, 1]. Claims are sentences and coordinated clauses; each is aligned with the evidence (words, numbers,
names, negation) and a fitted linear model gives the probability that the evidence supports it. None where there
is no evidence to compare with, or no claim.
"""

from __future__ import annotations

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared

_MOST_CHARACTERS = 120


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    assessment = prepared.assessment
    if not assessment.claims:
        return Finding(None, "the answer makes no claim")
    worst = min(assessment.claims, key=lambda claim: claim.probability)
    complaint = None if worst.verdict == "supported" else f"{worst.verdict}: {worst.text[:_MOST_CHARACTERS]}"
    details: dict[str, object] = {
        "claims": len(assessment.claims),
        "faithfulness": assessment.faithfulness,
        "lowest": worst.probability,
    }
    return Finding(
        assessment.support, complaint, details | ({"truncated": True} if assessment.truncated else {})
    )


CHECK = Check("supported_claims", f"{VERSION}+{DEFAULT_MODEL}", _measure)
