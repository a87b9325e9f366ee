"""citations_duplicate: share of the citations that repeat what the same claim cites already.

Range [0, 1], 0 is good; ``[1][1]`` behind one sentence has 1/2. None where nothing retrieved is cited.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

_MOST_LISTED = 20


def _measure(prepared: Prepared) -> Finding:
    if not any(one.id is not None for one in prepared.citations):
        return Finding(None, "nothing retrieved is cited")
    again: set[tuple[int, int]] = set()
    total = 0
    counted: set[tuple[int, int, str]] = set()
    for cited in prepared.attribution.values():
        seen: set[str] = set()
        for one in cited:
            if one.id is None or (*one.span, one.id) in counted:
                continue
            counted.add((*one.span, one.id))
            total += 1
            if one.id in seen:
                again.add(one.span)
            seen.add(one.id)
    if not total:
        return Finding(None, "no claim is cited")
    told = [prepared.answer[start:end][:60] for start, end in sorted(again)[:_MOST_LISTED]]
    return Finding(
        len(again) / total, f"cited twice: {', '.join(told[:3])}" if told else None, {"repeated": told}
    )


CHECK = Check("citations_duplicate", "11", _measure, better="low")
