"""supported_claims: supported claims over claims, a partial one counting one half (rubric G5).

Range [0, 1]. Claims are sentences and coordinated clauses; each is aligned with the evidence (words, numbers,
names, negation) and a fitted linear model gives the probability that the evidence supports it. None where there
is no evidence to compare with, or no claim; 0 where retrieval found nothing and the answer makes claims.
"""

from __future__ import annotations

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.verdict import Claim

_MOST_CHARACTERS = 120


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    if not prepared.has_evidence and not prepared.nothing_retrieved:
        return Finding(None, "there is no evidence text")
    assessment = prepared.assessment
    if not assessment.claims:
        return Finding(None, "the answer makes no claim")
    worst = min(assessment.claims, key=lambda claim: claim.probability)
    reasons = (_complaint(worst, nothing_retrieved=prepared.nothing_retrieved), assessment.remark)
    details: dict[str, object] = {
        "claims": assessment.stated,
        "compared": len(assessment.claims),
        "faithfulness": assessment.faithfulness,
        "lowest": worst.probability,
    }
    return Finding(
        assessment.support,
        "; ".join(one for one in reasons if one) or None,
        details | ({"truncated": True} if assessment.truncated else {}),
    )


def _complaint(worst: Claim, *, nothing_retrieved: bool) -> str | None:
    if nothing_retrieved:
        return "nothing was retrieved"
    return None if worst.verdict == "supported" else f"{worst.verdict}: {worst.text[:_MOST_CHARACTERS]}"


CHECK = Check("supported_claims", f"{VERSION}+{DEFAULT_MODEL}", _measure)
