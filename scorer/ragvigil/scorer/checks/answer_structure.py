"""answer_structure: share of what the type of question demands that the answer has.

Range [0, 1]. The type is the one that the trace names (segment ``answer_type``), else read from the question's
wording. instruction: ordered steps where the passages put any in order, unless it takes a single one. comparison:
both things by name, each by a word or number that the other one's name lacks, and that they differ, by a word of
that, a statement on each or their numbers; that they are alike, where the question asks for it. definition: its
subject by name, or by "it is a" at the start. multi_step: for each part of the question one of its key terms, or as
many numbers as it asks for; what the parts come to, where the question asks for it. short_fact: a claim within the
first two statements; its exceptions are `conditions_kept`. no_answer: a refusal that suggests a next step, without
citations or claims. Differences, likeness and sums are looked for in English, German, Spanish, French, Portuguese and
Italian. None where the type cannot be told, and where an answer to an answerable type refuses.
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import combinations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.question import (
    ANSWER_TYPES,
    ASKS_COMPOSITION,
    ASKS_LIKENESS,
    ASKS_QUANTITY,
    COMPOSITION,
    CONTRAST,
    DIFFERENCE,
    LIKENESS,
    NEXT_STEP,
    POINTS_BACK,
    AnswerType,
    answer_type_of,
    compared,
    key_stems,
    ordered_by,
    parts,
)
from ragvigil.scorer.checks.reading.refusal import advises, refers

_ITEM = re.compile(
    r"^[ \t]{0,12}(?:(?:\d{1,2}[.)]|[-*•]|(?:step|passo|paso|étape|schritt)\s\d{1,2})[ \t:.]"
    r"|\d{1,2}[.)]?[、\uff0e\uff09]|[\u2460-\u2473]|第[\d一二三四五六七八九十]{1,2}步|(?:步骤|步驟|ステップ|手順|단계)\s?\d)",
    re.MULTILINE | re.IGNORECASE,
)
_FEWEST_STEPS = 2
_SOON = 2
_ADDENDS = 12
"""Numbers of an answer of which two may add up to a third."""
_READ_OF_A_PASSAGE = 4000
_IN_WORDS = frozenset({"en", "de", "es", "fr", "pt", "it"})
"""Languages in which words of difference, likeness and sums are known."""


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    kind = kind_of(prepared)
    if kind is None:
        return Finding(None, "the type of question cannot be told")
    if kind == "no_answer":
        demands = _of_a_refusal(prepared)
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


def kind_of(prepared: Prepared) -> AnswerType | None:
    """The type of question that the trace names, else by its wording; None where it cannot be told."""
    told = prepared.record.segment.get("answer_type")
    known: AnswerType | None = ANSWER_TYPES.get(told or "")
    return known or answer_type_of(prepared.record.query or "")


def _of_a_refusal(prepared: Prepared) -> dict[str, bool]:
    steps = [_is_a_next_step(one.text) for one in prepared.statements]
    claims = [one.checkworthy for one in prepared.statements]
    return {
        "refuses": prepared.refuses,
        "suggests a next step": any(steps),
        "invents nothing": not any(claim and not step for claim, step in zip(claims, steps, strict=True)),
        "cites nothing": not prepared.citations,
    }


def _is_a_next_step(text: str) -> bool:
    return NEXT_STEP.match(text) is not None or advises(text) or refers(text)


def _demands(prepared: Prepared, kind: AnswerType) -> dict[str, bool]:
    if kind == "instruction":
        return {"ordered steps": _has_steps(prepared) or not _steps_are_known(prepared)}
    if kind == "short_fact":
        first = [one for one in prepared.statements if one.kind != "heading"][:_SOON]
        return {"a fact at the start": any(one.checkworthy for one in first)}
    if kind == "comparison":
        return _of_a_comparison(prepared)
    if kind == "definition":
        named = not prepared.key_terms or not _said(prepared).isdisjoint(prepared.key_terms)
        return {"its subject": named or POINTS_BACK.match(prepared.prose) is not None}
    return _of_parts(prepared)


def _said(prepared: Prepared) -> set[str]:
    return {word.stem for statement in prepared.statements for word in statement.words}


def _of_a_comparison(prepared: Prepared) -> dict[str, bool]:
    query, said = prepared.record.query or "", _said(prepared)
    named = _named(query)
    found = {name: not said.isdisjoint(stems) for name, stems in named}
    if not named or not all(found.values()) or not _in_words(prepared):
        return found
    text = prepared.prose.lower()
    alike = LIKENESS.search(text) is not None
    if ASKS_LIKENESS.search(query):
        return found | {"what they have in common": alike}
    told = alike or "|" in text or any(one.search(text) for one in (CONTRAST, DIFFERENCE))
    return found | {"how they differ": told or _set_apart(prepared, [stems for _, stems in named])}


def _in_words(prepared: Prepared) -> bool:
    return (prepared.language or prepared.question_language) in _IN_WORDS


def _set_apart(prepared: Prepared, named: list[set[str]]) -> bool:
    """Whether each thing has a statement of its own, or a number, or one of them lacks something."""
    held = [{word.stem for word in one.words} for one in prepared.statements]
    which = [[place for place, stems in enumerate(named) if stems & one] for one in held]
    if {places[0] for places in which if len(places) == 1} == set(range(len(named))):
        return True
    known = {word.numbers for word in prepared.question}
    told = [word for one in prepared.statements for word in one.words]
    numbers = {word.numbers for word in told if word.numbers} - known
    return len(numbers) >= len(named) or any(word.negation for word in told)


def _of_parts(prepared: Prepared) -> dict[str, bool]:
    query, said = prepared.record.query or "", _said(prepared)
    numbers = [word.numbers for one in prepared.statements for word in one.words if word.numbers]
    asked = [(part.strip(), set(key_stems(part)) - _of_the_whole(part)) for part in parts(query)]
    quantities = {part for part, _ in asked if ASKS_QUANTITY.search(part)}
    enough = bool(numbers) and len(set(numbers)) >= sum(part in quantities for part, _ in asked)
    found = {
        part: not said.isdisjoint(stems) or (enough and part in quantities) for part, stems in asked if stems
    }
    if found and ASKS_COMPOSITION.search(query) and _in_words(prepared):
        composed = COMPOSITION.search(prepared.prose.lower()) is not None
        found["what the parts come to"] = composed or _adds_up([one[0] for one in numbers])
    return found


def _of_the_whole(part: str) -> set[str]:
    """The words by which a part asks what the others come to."""
    found = ASKS_COMPOSITION.search(part)
    return set(key_stems(found[0])) if found else set()


def _adds_up(numbers: list[str]) -> bool:
    """Whether two of the first numbers make a third one.

    >>> _adds_up(["12", "8", "20"]), _adds_up(["12", "8"])
    (True, False)
    """
    known = list(dict.fromkeys(numbers))[:_ADDENDS]
    sums = {Decimal(one) + Decimal(other) for one, other in combinations(known, 2)}
    return any(Decimal(one) in sums for one in known)


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
    return _in_order(prepared.prose.lower())


def _steps_are_known(prepared: Prepared) -> bool:
    """Whether any passage puts steps in order; where none does, an answer need not."""
    texts = [one.text[:_READ_OF_A_PASSAGE].lower() for one in prepared.record.documents if one.text]
    return not texts or any(len(_ITEM.findall(text)) >= _FEWEST_STEPS or _in_order(text) for text in texts)


def _in_order(text: str) -> bool:
    return len(ordered_by(text)) >= _FEWEST_STEPS


CHECK = Check("answer_structure", "14", _measure, cost="question")
