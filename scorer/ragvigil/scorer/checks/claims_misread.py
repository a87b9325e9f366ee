"""claims_misread: share of the claims that a passage speaks of, but says otherwise.

Range [0, 1], 0 is good. Otherwise is another number, day or time, the opposite, or two things in each other's role:
unsupported claims with the reasons `number_mismatch` and `contradicted`; what no passage speaks of is an invention,
which `supported_claims` counts, too. Of 262 answers among RAGTruth's development rows that it finds fault with 238 are
labelled unsupported, of 99 summaries of BUMP 58: there an unlike number is often another wording. Roles swapped in
other words are missed, and outside English and French those that no case or preposition tells. None without evidence
text or claims, and across languages.
"""

from __future__ import annotations

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.verdict import Claim

_OTHERWISE = ("number_mismatch", "contradicted")
_FALSE = ("unsupported", "contradicted")
_MOST_LISTED = 3
_MOST_CHARACTERS = 120


def _measure(prepared: Prepared) -> Finding:
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    if prepared.incomparable:
        return Finding(None, prepared.incomparable)
    claims = prepared.assessment.claims
    if not claims:
        return Finding(None, "the answer makes no claim")
    misread = [one for one in claims if one.verdict in _FALSE and one.reason in _OTHERWISE]
    told = [_told(one) for one in misread[:_MOST_LISTED]]
    if not told:
        return Finding(0.0, None, {"claims": len(claims)})
    return Finding(
        len(misread) / len(claims), f"misread: {told[0]}", {"claims": len(claims), "misread": told}
    )


def _told(claim: Claim) -> str:
    said = f" (of {claim.nearest.passage})" if claim.nearest is not None else ""
    return f"{claim.text[:_MOST_CHARACTERS]}{said}"


CHECK = Check("claims_misread", f"5+{VERSION}+{DEFAULT_MODEL}", _measure, better="low", cost="claims")
