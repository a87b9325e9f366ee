"""answer_first: share of the answer's words that do not stand before its first claim on the question.

Range [0, 1], 1 when the answer begins with it. About what was asked is a claim that holds a key term of the
question, or stands below a heading that does; where none holds half of them, the answer is in other words than the
question, and the first claim counts. A list begins with its first item. A refusal counts as an answer, as does a yes or
no before it. None where the answer neither claims nor refuses.
"""

from __future__ import annotations

import re

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import UNPARTED, Prepared
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.courtesy import only_answers

_ITEM = re.compile(r"\s*(?:\d{1,3}[.)]|[-*+\u2022])\s")


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    saying = [one for one in prepared.statements if one.kind in ("claim", "refusal")]
    if not saying:
        return Finding(None, "the answer makes no claim")
    if prepared.unparted:
        return Finding(None, UNPARTED)
    first = _first_on_the_question(prepared) or saying[0]
    total = prepared.word_count
    before = sum(
        [
            len(one.words)
            for one in prepared.statements
            if one.start < first.start and not (one.kind == "phrase" and only_answers(one.text))
        ]
    )
    reason = f"{before} {'word comes' if before == 1 else 'words come'} before the answer" if before else None
    return Finding(1 - before / total, reason, {"words_before": before})


def _first_on_the_question(prepared: Prepared) -> Statement | None:
    """The first refusal, or claim or heading with a key term; None where none has half of them."""
    key = prepared.key_terms.keys()
    told = list(zip(prepared.statements, prepared.stems, strict=True))
    share = max((len(key & set(stems)) for one, stems in told if one.kind in ("claim", "heading")), default=0)
    if 2 * share < len(key):
        return None
    for place, (one, stems) in enumerate(told):
        if one.kind == "refusal":
            return one
        if one.kind in ("claim", "heading") and not key.isdisjoint(stems):
            return _first_of_a_list(prepared, place)
    return None


def _first_of_a_list(prepared: Prepared, place: int) -> Statement:
    """The first item of the list that the statement at `place` is in; itself where it is in none."""
    items = [_is_an_item(prepared.answer, one.start) for one in prepared.statements[: place + 1]]
    while place and items[place] and items[place - 1]:
        place -= 1
    return prepared.statements[place]


def _is_an_item(answer: str, start: int) -> bool:
    """Whether a line of a list holds what begins at `start`."""
    return _ITEM.match(answer, answer.rfind("\n", 0, start) + 1) is not None


CHECK = Check("answer_first", "6", _measure)
