"""over_refusal: 1 when the answer only refuses although one sentence holds nearly all that was asked.

Range {0, 1}, 0 is good. A suspicion, not a proof: whether a sentence about all key terms
answers the question, no lexical method can tell (docs/reading.md). None where nothing can be said about
sufficiency.
"""

from __future__ import annotations

from ragvigil.scorer.checks import evidence_sufficiency
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

_ENOUGH = 0.9
_FEWEST_TERMS = 2
_MOST_PLACES = 400
_MOST_CHARACTERS = 120


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    if not prepared.refuses or prepared.bears_claims:
        return Finding(0.0)
    found = evidence_sufficiency.CHECK.measure(prepared)
    if found.value is None:
        return Finding(None, found.reason)
    if len(prepared.key_terms) < _FEWEST_TERMS:
        return Finding(None, "the question has too few key terms")
    scores = prepared.evidence.weighed(prepared.key_terms, _MOST_PLACES)
    best = max(scores, key=lambda place: (scores[place], -place), default=None)
    if best is None or scores[best] < _ENOUGH * sum(prepared.key_terms.values()):
        return Finding(0.0)
    segment = prepared.evidence.segments[best]
    passage = prepared.evidence.names[segment.passage]
    return Finding(
        1.0, f"refuses, yet {passage} says: {segment.told[:_MOST_CHARACTERS]}", {"passage": passage}
    )


CHECK = Check("over_refusal", "15", _measure, range="{0, 1}", better="low", cost="question")
