"""conflict_surfaced: 1 when the answer says that passages conflict, 0 when it picks one silently.

Range {0, 1} (rubric A3). It says so in words of contrast or difference in six languages, or by the numbers of
both sides. None where `conflicting_passages` finds no conflict or the answer makes no claim.
"""

from __future__ import annotations

from ragvigil.scorer.checks import conflicting_passages
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.question import CONFLICT_WORDS


def _measure(prepared: Prepared) -> Finding:
    conflict = conflicting_passages.CHECK.measure(prepared)
    if not conflict.value or prepared.conflict is None:
        return Finding(None, conflict.reason if conflict.value is None else "no passages conflict")
    if not prepared.bears_claims:
        return Finding(None, "the answer makes no claim")
    plain = prepared.prose.lower()
    if any(word in plain for word in CONFLICT_WORDS):
        return Finding(1.0)
    said = {value for one in prepared.statements for word in one.words for value in word.numbers}
    one, other = prepared.conflict.one.numbers, prepared.conflict.other.numbers
    if prepared.conflict.kind == "number" and said & (one - other) and said & (other - one):
        return Finding(1.0)
    return Finding(0.0, f"does not say that its sources differ: {conflict.reason}")


CHECK = Check("conflict_surfaced", "1", _measure, range="{0, 1}", cost="question")
