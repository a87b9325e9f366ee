"""citations_dead: share of the distinct cited ids and ranks that were not retrieved.

Range [0, 1], 0 is good: the complement of `citation_correctness` where anything is cited. None where nothing is
cited, and where the list of retrieved passages is not known or incomplete.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citations import dead, live

_MOST_LISTED = 20


def _measure(prepared: Prepared) -> Finding:
    if not prepared.citations:
        return Finding(None, "the answer cites nothing")
    if not prepared.record.retrieved or prepared.record.completeness == "partial_evidence":
        return Finding(None, "what was retrieved is not known")
    missing, there = dead(prepared.citations), live(prepared.citations)
    reason = f"{len(missing)} cited, not retrieved: {', '.join(missing[:3])}" if missing else None
    return Finding(len(missing) / (len(missing) + len(there)), reason, {"dead": missing[:_MOST_LISTED]})


CHECK = Check("citations_dead", "11", _measure, better="low")
