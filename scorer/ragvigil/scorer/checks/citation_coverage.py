"""citation_coverage: share of the claims that carry a citation (after ALCE, Gao et al., 2023).

Range [0, 1]. A claim is a check-worthy clause; a citation covers the clause that it stands in or behind, the
clauses before it of the same sentence, and, alone on its line, the lines above; a list of sources at the end of an
answer that cites nowhere else covers all (`reading/attribution.py`). What leads to a list whose first item carries one
owes none. One behind the last sentence of a paragraph covers that sentence alone, since every sentence with a fact is
to carry one (docs/playbook.md); on a line of its own below it covers the paragraph. Whether what is cited exists or
supports the claim are other checks. None where there is no claim.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding, why_claimless
from ragvigil.scorer.checks.prepared import Prepared

_MOST_LISTED = 20
_MOST_CHARACTERS = 120


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    claims = [
        (place, one)
        for place, one in enumerate(prepared.statements)
        if one.checkworthy and place not in prepared.leads
    ]
    if not claims:
        return Finding(None, why_claimless(prepared))
    bare = [one for place, one in claims if place not in prepared.attribution]
    value = 1 - len(bare) / len(claims)
    return Finding(
        value,
        f"no citation for: {prepared.answer[bare[0].start : bare[0].end][:_MOST_CHARACTERS]}"
        if bare
        else None,
        {
            "claims": len(claims),
            "uncited": len(bare),
            "places": [[one.start, one.end] for one in bare[:_MOST_LISTED]],
        },
    )


CHECK = Check("citation_coverage", "20", _measure)
