"""Answered: questions of a passage, as of a page of them, and the "no" behind one, which denies what it asks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.markup import Span

_ASKING = ("?", "\uff1f")
_AROUND = " \t*_"
_ENDING = frozenset((*_ASKING, *_AROUND))
_NO = re.compile(
    r"[\s>*_\u2013-]*(?:[^\W\d_]{1,9}[.:]\W{1,3})?"
    rf"(?:{'|'.join(OPPOSITES['answering_no'])})(?P<end>\W*(?:\n|\Z)|[*_\s]{{0,3}}[.,!;:\u2013\u2014\u3002\uff0c](?!\s?\d))",
    re.IGNORECASE,
)


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
    own = spans[sentence]
    if own is None or text[own[1] - 1] not in _ENDING or sentence + 1 >= len(spans):
        return False  # as mostly
    if spans[sentence + 1] is None or not asks(text[own[0] : own[1]]):
        return False
    return _NO.match(text, own[1]) is not None


def behind_no(text: str, spans: Sequence[Span | None], sentence: int) -> int | None:
    """Where what a sentence says behind its "no" begins, if it answers the sentence before with that; else None.

    >>> behind_no("Is there a fee? No, it is free.", [(0, 15), (16, 31)], 1)
    19
    """
    if not sentence or not is_answered_no(text, spans, sentence - 1):
        return None
    before = spans[sentence - 1]
    found = _NO.match(text, before[1]) if before else None
    return found.end() if found else None
