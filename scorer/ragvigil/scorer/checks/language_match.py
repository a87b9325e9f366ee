"""language_match: 1 when the answer is in the language of the question, 0 when it is not.

Range {0, 1}. The language is the one that the trace names (segment ``language``: an ISO 639 code, a locale, or a
name such as ``English``; anything else, such as ``auto``, names none), else the question's, told by script or
function words. What the answer quotes among words of its own, such as a message of an error, is left out, as are names
such as "Standard with Copilot for Teams". None where either cannot be told, as between Chinese and Japanese without
kana, or Ukrainian and Russian, in up to 60 characters, and where the question asks for another language.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.language import code_of, language_of, may_be, same, without_titles
from ragvigil.scorer.checks.reading.markup import blank
from ragvigil.scorer.checks.reading.question import asks_for_a_language
from ragvigil.scorer.checks.reading.quotations import quotations


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    if asks_for_a_language(prepared.record.query or ""):
        return Finding(None, "the question names a language")
    wanted, told = prepared.question_language, prepared.language
    if wanted is None or told is None:
        return Finding(
            None, f"the language of the {'question' if wanted is None else 'answer'} cannot be told"
        )
    details = {"question": wanted, "answer": told}
    if same(wanted, told):
        return Finding(1.0, details=details)
    own = blank(prepared.prose, quotations(prepared.prose))
    said = language_of(without_titles(own if any(map(str.isalpha, own)) else prepared.prose))
    if said is None or same(wanted, said):
        return Finding(None, "the language of the answer cannot be told beside what it quotes or names")
    if may_be(prepared.prose, said, wanted) or _may_be_asked_in(prepared, wanted, said):
        return Finding(None, "too short to tell the languages of question and answer apart")
    return Finding(0.0, f"asked in {wanted}, answered in {said}", details | {"answer": said})


def _may_be_asked_in(prepared: Prepared, wanted: str, said: str) -> bool:
    """Whether the question, `wanted` being its language as far as it can be told, may be in that of the answer."""
    if code_of(prepared.record.segment.get("language") or ""):
        return False
    return may_be(prepared.asked, wanted, said) or language_of(without_titles(prepared.asked)) != wanted


CHECK = Check("language_match", "6", _measure, range="{0, 1}")
