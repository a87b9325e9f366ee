"""Wider values: a version or a decade of a claim that holds the one which the evidence tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.words import Word

_THING = "|".join(OPPOSITES["numbered"])
_OR_LATER = (
    r"(?:\+|\s(?:or|and|oder|und|ou|o|y|e|et)\s(?:later|newer|above|higher|up|neuer|höher|später|superior(?:es)?|"
    r"posterior(?:es)?|supérieure?|ultérieure?)\b)"
)
_VERSION = re.compile(
    rf"(?<![\w.])(?P<thing>{_THING})\s?(?P<number>\d{{1,4}}(?:\.\d{{1,4}}){{0,3}})(?![\w%€$£¥+]|[.,:/-]\d|{_OR_LATER})",
    re.IGNORECASE,
)
_AND_LATER = re.compile(
    rf"(?<![\w.])(?P<thing>{_THING})\s?(?P<number>\d{{1,4}}(?:\.\d{{1,4}}){{0,3}}){_OR_LATER}", re.IGNORECASE
)
_WORKS_ON = re.compile(
    r"\b(?:works?|runs?|supported|available|compatible|installed|läuft|funktioniert|funciona|fonctionne)\s"
    r"(?:on|with|under|auf|unter|mit|en|com|no|em|con|sur|avec)\s(?:an?\s|the\s|version\s)?\Z",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|not|no|nur|nicht|solo|sólo|só|não|seulement|pas)\b|n't", re.IGNORECASE)
_DECADE = re.compile(r"(?P<decade>[12](?<!\w[12])(?:(?<=1)[5-9]|(?<=2)0)\d)0(?:'?s|er)(?!\w)", re.IGNORECASE)
"""It begins with a digit, to which the engine skips."""
_BOUNDED = re.compile(
    r"\b(?:early|mid|late|since|until|before|after|by|beginning|end|frühen|späten|seit|bis|vor|"
    r"nach)[\s-](?:of\s)?(?:the\s|den\s)?\Z",
    re.IGNORECASE,
)
_FIRST_DIGIT = re.compile(r"\d(?<![\d.]\d)")
_ENDING = 3
_LETTERS_BEFORE = re.compile(rf"([^\W\d_]{{1,{_ENDING}}})\s?\Z")
_ENDS = frozenset(one[-_ENDING:] for one in OPPOSITES["numbered"])
"""The last letters of what is numbered."""
_ABOUT_IT = 0.5
_MOST_SENTENCES = 400
Span = tuple[int, int]


def wider_values(claim: Sequence[Word], text: str, evidence: Evidence) -> list[Span]:
    """Where `claim`, the words of `text`, tells a version or decade that a sentence about the same tells in detail.

    Python 3 is wider than Python 3.10, iOS 17 or later holds iOS 18, and 1994 is in the 1990s.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> from ragvigil.scorer.trace import Document
    >>> needs = Evidence([Document("a", "The tool needs Python 3.10.")])
    >>> [wider_values(words(one), one, needs) for one in ("The tool needs Python 3.", "The tool needs Python 2.")]
    [[(15, 23)], []]
    """
    told = [*(_VERSION.finditer(text) if _may_number(text) else ()), *_decades(text)]
    if not told:
        return []
    sentences = list(_about_it(claim, evidence))
    return [one.span() for one in told if any(_holds(one, text, sentence) for sentence in sentences)]


def _may_number(text: str) -> bool:
    """Whether a number may stand behind a thing that is numbered: a quick first look."""
    starts = [found.start() for found in _FIRST_DIGIT.finditer(text)]
    before = [_LETTERS_BEFORE.search(text, max(0, start - _ENDING - 1), start) for start in starts]
    return any(letters is not None and letters[1].lower() in _ENDS for letters in before)


def _decades(text: str) -> Iterator[re.Match[str]]:
    for one in _DECADE.finditer(text):
        if not _BOUNDED.search(text, 0, one.start()):
            yield one


def _about_it(claim: Sequence[Word], evidence: Evidence) -> Iterator[str]:
    """The sentences of the evidence that hold more than half of the meaningful words of `claim`."""
    said = {word.stem for word in claim if word.content and not word.numbers}
    for segment in islice(evidence.segments, _MOST_SENTENCES):
        if segment.span is not None and len(said & segment.content) > _ABOUT_IT * len(said):
            yield segment.text[slice(*segment.span)]


def _holds(one: re.Match[str], text: str, sentence: str) -> bool:
    """Whether `sentence` tells a value that what `one` found in `text` includes, or that includes it."""
    if "decade" in one.re.groupindex:
        return re.search(rf"(?<![\w.,/-]){one['decade']}\d(?![\w%]|[.,]\d)", sentence) is not None
    thing, number = re.escape(one["thing"]), re.escape(one["number"])
    if re.search(rf"(?<![\w.]){thing}\s?{number}\.\d", sentence, re.IGNORECASE):
        return True
    if not _WORKS_ON.search(text, 0, one.start()) or _ONLY.search(text):
        return False
    return any(
        least["thing"].casefold() == one["thing"].casefold() and _parts(one) > _parts(least)
        for least in _AND_LATER.finditer(sentence)
    )


def _parts(version: re.Match[str]) -> tuple[int, ...]:
    return tuple(map(int, version["number"].split(".")))
