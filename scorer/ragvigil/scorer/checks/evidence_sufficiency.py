"""evidence_sufficiency: weighted share of the question's key terms that the best passage holds.

Range [0, 1]. Key terms are the question's words without function words and words of asking, weighted by inverse
document frequency. Low means that the answer should abstain; high does not mean that the passages answer: on
NoMIRACL's hard negatives it ranks answerable questions first only .61 of the time (docs/reading.md). 0 where
nothing was retrieved. None without evidence text or key terms, and across languages.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.words import offsets

LITTLE = 0.4
"""Below this share the answer should abstain; of answerable questions 1 % are below it."""
_MOST_LISTED = 20


def _measure(prepared: Prepared) -> Finding:
    if prepared.nothing_retrieved:
        return Finding(0.0, "nothing was retrieved")
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    if not prepared.key_terms:
        return Finding(None, "the question has no key terms")
    if prepared.asked_incomparably:
        return Finding(None, prepared.asked_incomparably)
    value = max(prepared.relevance)
    missing = [stem for stem in prepared.key_terms if stem not in prepared.evidence.places]
    missing = _as_asked(prepared, missing[:_MOST_LISTED])
    reason = f"no passage holds: {', '.join(missing[:5])}" if missing and value < LITTLE else None
    return Finding(round(value, 6), reason, {"missing": missing} if missing else {})


def _as_asked(prepared: Prepared, stems: Sequence[str]) -> list[str]:
    """The words of the question, as they stand there, of which only the stems are known."""
    text = prepared.asked
    places = {word.stem: place for word, place in zip(prepared.question, offsets(text), strict=True)}
    return [text[slice(*places[stem])] for stem in stems]


CHECK = Check("evidence_sufficiency", "3", _measure, cost="question")
