"""Answered: questions of a passage, as of a page of them, and the "no" behind one, which denies what it asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.words import Word, stems_of, words

_ASKING = ("?", "\uff1f")
_AROUND = " \t*_"
_ENDING = frozenset((*_ASKING, *_AROUND))
_NO = re.compile(
    r"[\s>*_\u2013-]*(?:[^\W\d_]{1,9}[.:]\W{1,3})?"
    rf"(?:{'|'.join(OPPOSITES['answering_no'])})"
    r"(?:\W*(?:\n|\Z)|[*_\s]{0,3}(?:[.:](?!\s?(?:\d|of\b))|[,!;\u2013\u2014\u3002\uff0c]))",
    re.IGNORECASE,
)
"""The "no" behind a question; "No. 5" and "No. of guests" are numbers."""
_PIECES = re.compile(r"[,;:]\s+")
_BEGINNING, _OF_IT_ALL = (stems_of(OPPOSITES["asking"][one]) for one in ("beginning", "of_it_all"))
"""With which a question for yes or no begins, and what asks all that stands there: "I want to pay, is that right?"."""


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, be it in bold.

    >>> asks("**May I smoke?**"), asks("It is free.")
    (True, False)
    """
    return sentence.rstrip(_AROUND).endswith(_ASKING)


def is_answered_no(text: str, spans: Sequence[Span | None], sentence: int) -> bool:
    """Whether a sentence of `text`, by its place among `spans`, asks what the next one answers with "no".

    >>> text = "Can I pay by card? No. Is there parking? No. 5 is the car park. May I smoke? No, sorry."
    >>> spans = [(0, 18), (19, 22), (23, 40), (41, 63), (64, 76), (77, 87)]
    >>> [place for place in range(len(spans)) if is_answered_no(text, spans, place)]
    [0, 4]
    """
    return _end_of_no(text, spans, sentence) is not None


def behind_no(text: str, spans: Sequence[Span | None], sentence: int) -> int | None:
    """Where what a sentence says behind its "no" begins, if it answers the sentence before with that; else None.

    >>> behind_no("Is there a fee? No, it is free.", [(0, 15), (16, 31)], 1)
    19
    """
    return _end_of_no(text, spans, sentence - 1) if sentence else None


def _end_of_no(text: str, spans: Sequence[Span | None], asking: int) -> int | None:
    """Where the "no" ends with which a sentence begins that answers the one `asking`; None where none does."""
    own = spans[asking]
    if own is None or text[own[1] - 1] not in _ENDING or asking + 1 >= len(spans):
        return None  # as mostly
    if spans[asking + 1] is None or not asks(text[own[0] : own[1]]):
        return None
    found = _NO.match(text, own[1])
    return found.end() if found else None


def told_before(question: str) -> frozenset[str]:
    """The stems of what a sentence says before the question in which it ends; empty where it only asks.

    >>> texts = ("Tea is free, may I take two?", "Can I smoke, is it free?", "Tea is free, is that right?")
    >>> [sorted(told_before(text)) for text in texts]
    [['fre', 'is', 'tea'], [], []]
    """
    first, *others = (words(piece) for piece in _PIECES.split(question))
    at = next((at for at, piece in enumerate(others) if not _BEGINNING.isdisjoint(_stems(piece[:2]))), None)
    if at is None or not _BEGINNING.isdisjoint(_stems(first[:1])):
        return frozenset()  # as mostly
    asked = list(chain.from_iterable(others[at:]))
    told = _stems(chain(first, *others[:at]))
    if not any(word.content for word in asked[1:]) or not _OF_IT_ALL.isdisjoint(told | _stems(asked)):
        return frozenset()
    return told


def _stems(sequence: Iterable[Word]) -> frozenset[str]:
    return frozenset(word.stem for word in sequence)
