"""empty_retrieval: 1 when retrieval found nothing, 0 when it found something.

Range {0, 1}. None when no retrieval step was seen: then nothing can be said about it.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared


def _measure(prepared: Prepared) -> Finding:
    record = prepared.record
    if not record.retrieved:
        return Finding(None, "no retrieval was seen")
    found = bool(record.documents) or any(retrieval.ids for retrieval in record.retrievals)
    return Finding(0.0) if found else Finding(1.0, "nothing was retrieved")


CHECK = Check("empty_retrieval", "1", _measure, range="{0, 1}", better="low", cost="record")
