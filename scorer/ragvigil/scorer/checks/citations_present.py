"""citations_present: 1 when the answer cites anything, 0 when it makes claims and cites nothing.

Range {0, 1}. None where nothing needs a citation: no answer, a refusal, an answer without claims.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding, why_claimless
from ragvigil.scorer.checks.prepared import Prepared


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        cited = prepared.record.cited
        if cited is None:
            return Finding(None, "there is no answer")
        found = bool(cited.ids or cited.unknown)
        if cited.read_characters is not None and not found:
            return Finding(None, f"only the first {cited.read_characters} characters were read for citations")
        return Finding(float(found))
    if prepared.citations:
        styles = sorted({citation.style for citation in prepared.citations})
        return Finding(1.0, details={"markers": len(prepared.citations), "styles": styles})
    if not prepared.owes_citations:
        return Finding(None, why_claimless(prepared))
    return Finding(0.0, "cites nothing")


CHECK = Check("citations_present", "21", _measure, range="{0, 1}")
