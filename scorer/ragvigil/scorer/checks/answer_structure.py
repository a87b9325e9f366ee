"""answer_structure: share of what the type of question demands that the answer has (rubric G6).

Range [0, 1]. The type is the one that the trace names (segment ``answer_type``), else read from the question's
wording. instruction: ordered steps, unless it takes a single one. comparison: both things by name, each by a word or
number that the other one's name lacks. definition: its subject by name.
multi_step: for each part of the question one of its key terms. short_fact: a claim within the first two
statements. no_answer: a refusal, without citations. None where the type cannot be told, and where an answer to
an answerable type refuses.
"""

from __future__ import annotations

import re

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.question import (
    ANSWER_TYPES,
    ORDER,
    AnswerType,
    answer_type_of,
    compared,
    key_stems,
    parts,
)

_ITEM = re.compile(
    r"^[ \t]{0,12}(?:(?:\d{1,2}[.)]|[-*•]|(?:step|passo|paso|étape|schritt)\s\d{1,2})[ \t:.]"
    r"|\d{1,2}[.)]?[、\uff0e\uff09]|[\u2460-\u2473]|第[\d一二三四五六七八九十]{1,2}步|(?:步骤|步驟|ステップ|手順|단계)\s?\d)",
    re.MULTILINE | re.IGNORECASE,
)
_FEWEST_STEPS = 2
_SOON = 2


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    kind = _kind(prepared)
    if kind is None:
        return Finding(None, "the type of question cannot be told")
    if kind == "no_answer":
        demands = {"refuses": prepared.refuses, "cites nothing": not prepared.citations}
    elif prepared.refuses and not prepared.bears_claims:
        return Finding(None, "the answer refuses")
    else:
        demands = _demands(prepared, kind)
    if not demands:
        return Finding(None, "the question does not name what it asks for")
    lacking = [name for name, met in demands.items() if not met]
    return Finding(
        1 - len(lacking) / len(demands),
        f"{kind} without: {', '.join(lacking)}" if lacking else None,
        {"type": kind, "lacking": lacking},
    )


def _kind(prepared: Prepared) -> AnswerType | None:
    told = prepared.record.segment.get("answer_type")
    known: AnswerType | None = ANSWER_TYPES.get(told or "")
    return known or answer_type_of(prepared.record.query or "")


def _demands(prepared: Prepared, kind: AnswerType) -> dict[str, bool]:
    query = prepared.record.query or ""
    said = {word.stem for statement in prepared.statements for word in statement.words}
    if kind == "instruction":
        return {"ordered steps": _has_steps(prepared)}
    if kind == "short_fact":
        first = [one for one in prepared.statements if one.kind != "heading"][:_SOON]
        return {"a fact at the start": any(one.checkworthy for one in first)}
    if kind == "comparison":
        return {name: not said.isdisjoint(stems) for name, stems in _named(query)}
    if kind == "definition":
        return {"its subject": not prepared.key_terms or not said.isdisjoint(prepared.key_terms)}
    asked = [(part.strip(), key_stems(part)) for part in parts(query)]
    return {part: not said.isdisjoint(stems) for part, stems in asked if stems}


def _named(query: str) -> list[tuple[str, set[str]]]:
    """The things that a question compares, each with the stems that tell it from the others."""
    read = [(name.strip(), set(key_stems(name))) for name in compared(query) or ()]
    named: list[tuple[str, set[str]]] = []
    for name, stems in read:
        others = set[str]().union(*(theirs for other, theirs in read if other != name))
        if stems:
            named.append((name, (stems - others) or stems))
    return named


def _has_steps(prepared: Prepared) -> bool:
    if sum([one.checkworthy for one in prepared.statements]) < _FEWEST_STEPS:
        return True
    if len(_ITEM.findall(prepared.prose)) >= _FEWEST_STEPS:
        return True
    return len({match[0] for match in ORDER.finditer(prepared.prose.lower())}) >= _FEWEST_STEPS


CHECK = Check("answer_structure", "3", _measure)
