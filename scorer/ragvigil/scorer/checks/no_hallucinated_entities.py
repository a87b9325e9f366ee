"""no_hallucinated_entities: share of the claims' names and numbers that evidence or question have.

Range [0, 1]. A name is a capitalised word; the one that begins its statement, or stands
behind a colon with more to follow, only if it is all in capitals or right before a name that stands nowhere. One that
also stands in small letters there is none, nor are the words of a title, which are all capitalised. German
capitalises every noun: there only runs of two names, and words with digits or inner capitals, count. Scripts without
capitals are judged by numbers and Latin words. A measure, a sum, a date or a time in another unit or form is the
same. An endpoint, a package, a flag or a setting in code, an e-mail address and a link are names, too; placeholders and
what the answer's own code defines, are none. None where the claims name nothing, and across languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.alignment.derived import derived_values
from ragvigil.scorer.checks.alignment.numbers import idle_numbers, known_telephones, years_of_dates
from ragvigil.scorer.checks.alignment.reckoned import sums_of
from ragvigil.scorer.checks.alignment.twos import miscounted_twos
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import CROSS_LINGUAL, Prepared
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.code_names import CodeNames, code_names, may_name
from ragvigil.scorer.checks.reading.courtesy import CAPITALISED
from ragvigil.scorer.checks.reading.markup import blank, fenced
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word, offsets, words

_MOST_LISTED = 20
_LABEL_END = re.compile(r":[*_]{0,2}[ \t][*_]{0,2}")
_LONGEST_BARE = 3
"""Words of a statement that may all have capitals and be no title."""
_NO_NAMES = FRAME_STEMS | CAPITALISED
_DEGREES = frozenset("°º")
_CAPITALISES_NOUNS = frozenset({"de"})
_UNITS = frozenset(
    word.stem
    for word in words(
        "Sekunde Sekunden Minute Minuten Stunde Stunden Tag Tage Tagen Woche Wochen Monat Monate Monaten Jahr Jahre "
        "Jahren Euro Cent Prozent Meter Kilometer Gramm Kilogramm Kilo Liter Stück"
    )
)
"""In that language, with its nouns behind them: zwei Wochen Zeit."""


def _measure(prepared: Prepared) -> Finding:
    if not prepared.bears_claims:
        return Finding(None, "the answer makes no claim")
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    if prepared.cross_lingual:
        return Finding(None, CROSS_LINGUAL)
    asked = {reading for word in prepared.question for reading in (word.stem, *word.numbers)}
    named: set[str] = set()
    missing: dict[str, str] = {}
    invented = 0
    small = {word.stem for one in prepared.statements for word in one.words if not word.name}
    for statement in prepared.told:
        if not statement.checkworthy:
            continue
        novel: list[int] = []
        for place in _places(prepared, statement, small, asked):
            word = statement.words[place]
            named.add(word.stem)
            if not _stands(prepared, word.stem, word.numbers, asked) and word.stem not in missing:
                invented += not word.numbers
                missing[word.stem] = ""
                novel.append(place)
        spans = offsets(statement.text) if novel else ()
        for place in novel:
            missing[statement.words[place].stem] = statement.text[slice(*spans[place])]
    code = _of_code(prepared)
    named.update(code.told)
    invented += len(code.missing)
    missing.update((one, one) for one in code.missing)
    if not named:
        return Finding(None, "the claims name nothing")
    told = list(missing.values())
    return Finding(
        1 - len(missing) / len(named),
        f"neither in the evidence nor in the question: {', '.join(told[:3])}" if told else None,
        {"named": len(named), "missing": told[:_MOST_LISTED], "missing_names": invented},
    )


def _of_code(prepared: Prepared) -> CodeNames:
    """What the answer names in code and as addresses, beside all that is known of the passages."""
    answer = prepared.answer
    if not may_name(answer):
        return CodeNames([], [])  # as mostly
    hidden = [citation.span for citation in prepared.citations]
    if prepared.own is not None:
        hidden += [found.span() for found in prepared.own.finditer(answer)]
    documents = prepared.record.documents
    known = [prepared.asked, *(f"{one.text}\n{one.id}\n{one.metadata or ''}" for one in documents)]
    shown = blank(answer, hidden)
    return code_names(shown, blank(shown, fenced(shown)), "\n".join(known))


def _places(prepared: Prepared, statement: Statement, small: set[str], asked: set[str]) -> list[int]:
    """Which words of a statement are names or numbers."""
    return sorted((*_numbers(prepared, statement, asked), *_names(prepared, statement, small, asked)))


def _numbers(prepared: Prepared, statement: Statement, asked: set[str]) -> list[int]:
    """Which words of a statement are numbers that stand somewhere, or should."""
    told = [place for place, word in enumerate(statement.words) if word.numbers and word.content]
    lacking = _lacking(prepared, statement.words, asked) if told else frozenset[int]()
    if lacking.isdisjoint(told):
        return told  # as mostly
    idle = _idle_numbers(prepared, statement, lacking, asked)
    return [place for place in told if place not in lacking or place not in idle]


def _names(prepared: Prepared, statement: Statement, small: set[str], asked: set[str]) -> list[int]:
    """Which words of a statement, some of them `small` in others, are names."""
    sequence = statement.words
    capital = [
        place for place, word in enumerate(sequence) if word.name and word.content and not word.numbers
    ]
    if not capital or (
        len(sequence) > _LONGEST_BARE and all(one.name or not one.content for one in sequence)
    ):
        return []  # none at all, or a title
    nouns = prepared.language in _CAPITALISES_NOUNS
    labelled, degrees = _after_labels(statement), _of_degrees(statement)
    return [
        place
        for place in capital
        if place not in degrees
        and not (place in labelled and _has_none_behind(sequence, place))
        and (place or _begins_with_a_name(prepared, statement, asked))
        and sequence[place].stem not in small
        and sequence[place].stem not in _NO_NAMES
        and (not nouns or _has_a_name_beside(sequence, place))
    ]


def _has_none_behind(sequence: Sequence[Word], place: int) -> bool:
    """Whether the next word has no capital letter."""
    return any(not (word.name and word.content) for word in sequence[place + 1 : place + 2])


def _has_a_name_beside(sequence: Sequence[Word], place: int) -> bool:
    """Whether another word with a capital letter stands beside, as in a name of two, that is no unit."""
    beside = (*sequence[max(1, place - 1) : place], *sequence[place + 1 : place + 2])
    return any(word.name and word.content and word.stem not in _UNITS for word in beside)


def _idle_numbers(
    prepared: Prepared, statement: Statement, lacking: frozenset[int], asked: set[str]
) -> frozenset[int]:
    """Which of the `lacking` numbers of a statement are no facts, or are worked out of others."""
    sequence, text, evidence = statement.words, statement.text, prepared.evidence
    idle = idle_numbers(sequence, text, lacking, hours=True)
    idle -= miscounted_twos(sequence, text, lacking, evidence)
    idle |= derived_values(sequence, text, lacking, evidence)
    idle |= known_telephones(text, lacking, evidence)
    idle |= sums_of(sequence, text, lacking, evidence, asked).right
    return idle | years_of_dates(sequence, lacking, evidence)


def _lacking(prepared: Prepared, sequence: Sequence[Word], asked: set[str]) -> frozenset[int]:
    """Words whose numbers stand neither in the evidence nor in the question."""
    return frozenset(
        place
        for place, word in enumerate(sequence)
        if word.numbers and not _stands(prepared, word.stem, word.numbers, asked)
    )


def _of_degrees(statement: Statement) -> frozenset[int]:
    """Words that only say of which degrees a number is: 25 °C."""
    if _DEGREES.isdisjoint(statement.text):
        return frozenset()  # as mostly
    signs = {place + 1 for place, letter in enumerate(statement.text) if letter in _DEGREES}
    return frozenset(
        place for place, (first, _) in enumerate(offsets(statement.text)) if place and first in signs
    )


def _after_labels(statement: Statement) -> frozenset[int]:
    """Words right behind a colon, which begin what is said as in "Cost: Free of charge"."""
    if ":" not in statement.text:
        return frozenset()  # as mostly
    starts = {found.end() for found in _LABEL_END.finditer(statement.text)}
    return frozenset(place for place, (first, _) in enumerate(offsets(statement.text)) if first in starts)


def _begins_with_a_name(prepared: Prepared, statement: Statement, asked: set[str]) -> bool:
    """Whether the first word is written in capitals, or right before a name that stands nowhere.

    Before a known name it may be a word like any other: Former Italy captain.
    """
    follows = any(
        one.name and one.content and not _stands(prepared, one.stem, (), asked)
        for one in statement.words[1:2]
    )
    begins = statement.text[:2]
    if not follows and begins.isascii() and begins[:1].isalpha() and begins[1:].islower():
        return False  # as mostly
    (first, last), *others = offsets(statement.text)
    if last - first > 1 and statement.text[first:last].isupper():
        return True
    return follows and statement.text[last : others[0][0]] == " "


def _stands(prepared: Prepared, stem: str, numbers: tuple[str, ...], asked: set[str]) -> bool:
    if stem in prepared.evidence.places or stem in asked:
        return True
    told = prepared.evidence.meant(numbers)
    return bool(told) and not (prepared.evidence.numbers.isdisjoint(told) and asked.isdisjoint(told))


CHECK = Check("no_hallucinated_entities", "29", _measure, cost="claims")
