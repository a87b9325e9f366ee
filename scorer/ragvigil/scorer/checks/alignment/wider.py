"""Wider values: a version or a decade of a claim that holds the one which the evidence tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import accumulate, islice
from typing import NamedTuple, Self

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.words import Word, things_of

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
_IN_DETAIL = re.compile(rf"(?<![\w.])(?P<thing>{_THING})\s?(?P<number>\d+(?:\.\d+)+)", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\w.,/-])(\d{3})\d(?![\w%]|[.,]\d)")
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
_BEFORE = 60
"""Characters before a value that tell what it is said of."""
_ABOUT_IT = 0.5
_MOST_SENTENCES = 400


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
    sentences = [_Told.of(sentence) for sentence in _about_it(claim, evidence)]
    return [one.span() for one in told if any(sentence.holds(one, text) for sentence in sentences)]


def _may_number(text: str) -> bool:
    """Whether a number may stand behind a thing that is numbered: a quick first look."""
    starts = [found.start() for found in _FIRST_DIGIT.finditer(text)]
    before = [_LETTERS_BEFORE.search(text, max(0, start - _ENDING - 1), start) for start in starts]
    return any(letters is not None and letters[1].lower() in _ENDS for letters in before)


def _decades(text: str) -> Iterator[re.Match[str]]:
    for one in _DECADE.finditer(text):
        if not _BOUNDED.search(text, max(0, one.start() - _BEFORE), one.start()):
            yield one


def _about_it(claim: Sequence[Word], evidence: Evidence) -> Iterator[str]:
    """The sentences of the evidence that hold more than half of the meaningful words of `claim`."""
    said = things_of(claim)
    for segment in islice(evidence.segments, _MOST_SENTENCES):
        if segment.span is not None and len(said & segment.content) > _ABOUT_IT * len(said):
            yield segment.sentence


class _Told(NamedTuple):
    """What a sentence tells of versions and decades."""

    begun: Set[str]
    """What versions with a point begin with, each with the thing: python 3, of Python 3.10."""
    least: Mapping[str, list[tuple[int, ...]]]
    """By the thing, versions from which on something is so."""
    decades: Set[str]
    """The first three digits of years."""

    @classmethod
    def of(cls, sentence: str) -> Self:
        """What is told in `sentence`."""
        begun: set[str] = set()
        for one in _IN_DETAIL.finditer(sentence):
            *parts, _ = one["number"].split(".")
            begun.update(f"{one['thing'].casefold()} {said}" for said in accumulate(parts, "{}.{}".format))
        least: dict[str, list[tuple[int, ...]]] = {}
        for one in _AND_LATER.finditer(sentence):
            least.setdefault(one["thing"].casefold(), []).append(_parts(one))
        return cls(begun, least, frozenset(_YEAR.findall(sentence)))

    def holds(self, one: re.Match[str], text: str) -> bool:
        """Whether a value is told that what `one` found in `text` includes, or that includes it."""
        if "decade" in one.re.groupindex:
            return one["decade"] in self.decades
        thing = one["thing"].casefold()
        if f"{thing} {one['number']}" in self.begun:
            return True
        before = max(0, one.start() - _BEFORE)
        if not _WORKS_ON.search(text, before, one.start()) or _ONLY.search(text):
            return False
        return any(_parts(one) > least for least in self.least.get(thing, ()))


def _parts(version: re.Match[str]) -> tuple[int, ...]:
    return tuple(map(int, version["number"].split(".")))
