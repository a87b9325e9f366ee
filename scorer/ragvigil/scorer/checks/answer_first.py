"""answer_first: share of the answer's words that do not stand before its first claim on the question.

Range [0, 1], 1 when the answer begins with it. About what was asked is a claim that holds a key term of the
question, or stands below a heading that does; where none does, the first claim counts. A refusal counts as an answer,
as does a yes or no before it. None where the answer neither claims nor refuses.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.courtesy import only_answers


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    saying = [one for one in prepared.statements if one.kind in ("claim", "refusal")]
    if not saying:
        return Finding(None, "the answer makes no claim")
    key = prepared.key_terms.keys()
    first = next(
        (
            one
            for one, stems in zip(prepared.statements, prepared.stems, strict=True)
            if one.kind == "refusal" or (one.kind in ("claim", "heading") and not key.isdisjoint(stems))
        ),
        saying[0],
    )
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


CHECK = Check("answer_first", "2", _measure)
