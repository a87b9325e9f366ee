"""Claims: the atomic statements of an answer, with their exact places, and which of them need evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span, blank, fenced
from ragvigil.scorer.checks.reading.refusal import may_refuse, refuses
from ragvigil.scorer.checks.reading.sentences import sentences, trim
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word, words

Kind = Literal["claim", "heading", "question", "refusal", "phrase"]

_PREFIX = re.compile(r"(?:[-*+•▪◦‣>|]{1,3}[ \t]+|\d{1,3}[.)][ \t]+|\(?[a-z][.)][ \t]+|\|)+", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6}[ \t]")
_WHOLLY_BOLD = re.compile(r"(?:\*\*|__)[^*_\n]{1,100}(?:\*\*|__):?\Z")
_OPENERS = "|".join(sorted(map(re.escape, LEXICON.clause_openers), key=len, reverse=True))
_CLAUSE = re.compile(rf"[;\uff1b]\s*|,\s+(?=(?:{_OPENERS})\s)", re.IGNORECASE)
_QUESTION = ("?", "\uff1f", "؟")
_COURTESY = re.compile(
    r"(?:hi|hello|hey|dear|thanks?|thank you|sure|certainly|of course|absolutely|great question|you'?re welcome|"
    r"i hope|hope this|let me know|feel free|please let|if you have any|here (?:is|are)|olá|oi|claro|espero|hola|"
    r"bonjour|voici|hallo|gerne|ciao|ecco)\b",
    re.IGNORECASE,
)
_LONGEST_COURTESY = 160
_FEWEST_WORDS_A_CLAUSE = 4
_ENOUGH_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Statement:
    """One stretch of an answer that says one thing."""

    start: int
    end: int
    kind: Kind
    words: tuple[Word, ...]
    """Its words, citations left out."""

    @property
    def checkworthy(self) -> bool:
        """Whether it needs evidence; a greeting, a question, a refusal, a heading does not."""
        return self.kind == "claim"


def read_statements(answer: str, hidden: list[Span]) -> tuple[Statement, ...]:
    """The statements of `answer` in order; `hidden` (citations, definitions) and fenced code are not read.

    >>> answer = "## Opening\\nThe shop opens at 9 [1], but it closes on Sundays. Anything else?"
    >>> [(answer[s.start:s.end], s.kind) for s in read_statements(answer, [(31, 34)])]  # doctest: +NORMALIZE_WHITESPACE
    [('## Opening', 'heading'), ('The shop opens at 9', 'claim'), ('but it closes on Sundays.', 'claim'),
     ('Anything else?', 'question')]
    """
    prose = blank(answer, [*hidden, *fenced(answer)])
    wary = may_refuse(prose)
    return tuple(_statements(prose, wary))


def _statements(prose: str, wary: bool) -> Iterator[Statement]:
    for start, end in sentences(prose):
        start = _after_prefix(prose, start, end)
        refusal = wary and refuses(prose[start:end]) is not None
        clauses = [(start, end)] if refusal else _clauses(prose, start, end)
        for first, last in clauses:
            sequence = tuple(words(prose[first:last]))
            if sequence:
                yield Statement(
                    first, last, "refusal" if refusal else _kind(prose[first:last], sequence), sequence
                )


def _after_prefix(prose: str, start: int, end: int) -> int:
    prefix = _PREFIX.match(prose, start, end)
    return trim(prose, prefix.end(), end)[0] if prefix and prefix.end() < end else start


def _clauses(prose: str, start: int, end: int) -> list[Span]:
    """Coordinated clauses of one sentence, where both sides are long enough to stand alone."""
    cuts = [start]
    for match in _CLAUSE.finditer(prose, start, end):
        if _long_enough(prose, cuts[-1], match.start()) and _long_enough(prose, match.end(), end):
            cuts.append(match.end())
    spans = [trim(prose, first, last) for first, last in zip(cuts, [*cuts[1:], end], strict=True)]
    return [(first, _without_joint(prose, first, last)) for first, last in spans if first < last]


def _without_joint(prose: str, first: int, last: int) -> int:
    while last > first and prose[last - 1] in ",;\uff1b \t\n":
        last -= 1
    return last


def _long_enough(prose: str, start: int, end: int) -> bool:
    part = prose[start : min(end, start + _ENOUGH_CHARACTERS)]
    return len(part.split(None, _FEWEST_WORDS_A_CLAUSE)) >= _FEWEST_WORDS_A_CLAUSE


def _kind(text: str, sequence: tuple[Word, ...]) -> Kind:
    if text.endswith(_QUESTION):
        return "question"
    if (
        _HEADING.match(text)
        or _WHOLLY_BOLD.match(text)
        or (text.endswith((":", "\uff1a")) and len(sequence) <= 12)
    ):
        return "heading"
    content = [word for word in sequence if word.content and word.stem not in FRAME_STEMS]
    if not any(not word.numbers for word in content) or (
        len(text) <= _LONGEST_COURTESY and _COURTESY.match(text) and not _specific(content)
    ):
        return "phrase"
    return "claim"


def _specific(content: list[Word]) -> bool:
    return any(word.numbers or word.name for word in content[1:])
