"""supported_claims: supported claims over claims, a partial one counting one half.

Range [0, 1]. Claims are sentences and coordinated clauses; each is aligned with the evidence (words, numbers,
names, negation; measures, sums and dates in whatever unit or form) and a fitted linear model gives the probability
that the evidence supports it. None where there
is no evidence to compare with, no claim, or only passages in another language; 0 where retrieval found nothing
and the answer makes claims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.verdict import Claim

_MOST_CHARACTERS = 120
_MOST_LISTED = 3


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    if not prepared.has_evidence and not prepared.nothing_retrieved:
        return Finding(None, "there is no evidence text")
    if prepared.has_evidence and prepared.incomparable:
        return Finding(None, prepared.incomparable)
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
        **_faults(assessment.claims),
    }
    return Finding(
        assessment.support,
        "; ".join(one for one in reasons if one) or None,
        details | ({"truncated": True} if assessment.truncated else {}),
    )


def _faults(claims: Sequence[Claim]) -> dict[str, object]:
    """How many claims are not supported, by verdict and by reason, and the first of them."""
    faulty = [claim for claim in claims if claim.verdict != "supported"]
    if not faulty:
        return {}
    return {
        "verdicts": dict(sorted(Counter(claim.verdict for claim in faulty).items())),
        "reasons": dict(sorted(Counter(claim.reason for claim in faulty if claim.reason).items())),
        "faulty": [
            {
                "claim": claim.text[:_MOST_CHARACTERS],
                "place": [claim.start, claim.end],
                "verdict": claim.verdict,
                "reason": claim.reason,
                "probability": claim.probability,
                "nearest": claim.nearest and [claim.nearest.passage, claim.nearest.start, claim.nearest.end],
            }
            for claim in faulty[:_MOST_LISTED]
        ],
    }


def _complaint(worst: Claim, *, nothing_retrieved: bool) -> str | None:
    if nothing_retrieved:
        return "nothing was retrieved"
    if worst.verdict == "supported":
        return None
    why = f" ({worst.reason.replace('_', ' ')})" if worst.reason and worst.reason != worst.verdict else ""
    return f"{worst.verdict}{why}: {worst.text[:_MOST_CHARACTERS]}"


CHECK = Check("supported_claims", f"{VERSION}.6+{DEFAULT_MODEL}", _measure, cost="claims")
