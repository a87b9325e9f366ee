"""missing_refusal: 1 when the answer makes claims although the evidence cannot carry an answer.

Range {0, 1}, 0 is good. The evidence cannot where nothing was retrieved, where no passage holds 0.4 of the
question's key terms and it supports less than half of the claims, or where none holds 0.6 and no claim is supported.
So a question in other words than its passages (vacation, annual leave) is no reason by itself, nor is what the
assistant says of itself ("I can answer questions about orders"). None where sufficiency cannot be told.
"""

from __future__ import annotations

from ragvigil.scorer.checks import evidence_sufficiency
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.question import GOES_ON, OF_ITSELF
from ragvigil.scorer.checks.reading.words import words

_SCANT = 0.6
_CARRIED = 0.5
"""Support of the claims from which on the passages do speak of what was asked, in whatever words."""


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    if not prepared.owes_citations:
        return Finding(0.0)  # it makes no claim, or refuses and says whom to ask instead
    found = evidence_sufficiency.CHECK.measure(prepared)
    if found.value is None or prepared.incomparable:
        return Finding(None, found.reason or prepared.incomparable)
    if found.value < _SCANT and _is_of_itself(prepared):
        return Finding(0.0)
    if found.value < evidence_sufficiency.LITTLE and (prepared.assessment.support or 0.0) < _CARRIED:
        return Finding(1.0, f"should have refused: {found.reason or 'little of what was asked is there'}")
    if found.value < _SCANT and prepared.assessment.support == 0:
        return Finding(
            1.0, "should have refused: little of what was asked is there, and no claim is supported"
        )
    return Finding(0.0)


def _is_of_itself(prepared: Prepared) -> bool:
    """Whether all that the answer claims is what the assistant is or does, and nothing besides."""
    asked = {word.stem for word in prepared.question}
    return all(_tells_of_itself(one.text, asked) for one in prepared.statements if one.checkworthy)


def _tells_of_itself(text: str, asked: set[str]) -> bool:
    """Whether a statement does, without a number or a name that the question lacks."""
    begins = OF_ITSELF.match(text)
    if begins is None or any(word.numbers for word in words(text)):
        return False
    rest = text[begins.end() :]
    named = (word.stem for word in words(rest) if word.name and word.content)
    return GOES_ON.search(rest) is None and asked.issuperset(named)


CHECK = Check("missing_refusal", "17", _measure, range="{0, 1}", better="low", cost="claims")
