"""citations_over_broad: share of the markers that point at more than a claim can rest on.

Range [0, 1], 0 is good. Over-broad is a marker that names a whole document of which only chunks were retrieved,
or one that names at least `_MANY` passages and half of all retrieved ones. None where nothing retrieved is
cited.
"""

from __future__ import annotations

from collections import defaultdict

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

_MANY = 5
_MOST_LISTED = 20


def _measure(prepared: Prepared) -> Finding:
    markers: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    broad: set[tuple[int, int]] = set()
    for one in prepared.citations:
        if one.id is not None:
            markers[one.span].add(one.id)
            if one.over_broad:
                broad.add(one.span)
    if not markers:
        return Finding(None, "nothing retrieved is cited")
    half = len(prepared.record.documents) / 2
    broad |= {span for span, ids in markers.items() if len(ids) >= max(_MANY, half)}
    told = [prepared.answer[start:end][:60] for start, end in sorted(broad)[:_MOST_LISTED]]
    reason = f"too broad: {', '.join(told[:3])}" if told else None
    return Finding(len(broad) / len(markers), reason, {"over_broad": told})


CHECK = Check("citations_over_broad", "11", _measure, better="low")
