"""Shortened numbers: 50k for 50,000, and v2.4 for version 2.4."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.reading.numerals import decimal
from ragvigil.scorer.checks.reading.words import Word, offsets

_SHORT = re.compile(
    r"(?<![\w.,])(?:v(?P<version>\d{1,4}(?:\.\d{1,4}){0,3})|(?P<thousands>\d{1,3}(?:\.\d{1,2})?)k)(?![\w-]|[.,]\d)",
    re.IGNORECASE,
)
_MAY_BE_SHORT = re.compile(r"[kKvV\u212a](?:(?<=\d.)|\d)")
"""It begins with one of a few letters, to which the engine skips."""
_DIGITS = re.compile(r"\d(?<![\w.,]\d)\d{0,14}(?:[.,'\u2019]\d{1,15}){0,4}")
_THOUSAND = 1000


def may_shorten(text: str) -> bool:
    """Whether a number is told so: a quick first look.

    >>> may_shorten("50k calls"), may_shorten("since v2.4"), may_shorten("5 km")
    (True, True, False)
    """
    return _MAY_BE_SHORT.search(text) is not None and _SHORT.search(text) is not None


def in_full(sequence: Sequence[Word], text: str, evidence: str) -> Sequence[Word]:
    """`sequence`, the words of `text`, with the numbers of `evidence` in place of shortened ones.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> text = "50k calls since v2.4, 60k before"
    >>> [word.stem for word in in_full(words(text), text, "50,000 calls since version 2.4")]
    ['50000', '50000', 'cal', 'sinc', '2.4', '2.4', '60', 'k', 'befor']
    """
    told = [found for found in _SHORT.finditer(text) if found[0] not in evidence]
    if not told:
        return sequence
    known = {re.sub("[,'\u2019]", "", number) for number in _DIGITS.findall(evidence)}
    found = list(sequence)
    where = offsets(text)
    for one in told:
        number = one["version"] or decimal(f"{float(one['thousands']) * _THOUSAND:.2f}")
        if number in known:
            for place, (first, last) in enumerate(where):
                if first < one.end() and last > one.start():
                    found[place] = Word(number, content=True, name=False, numbers=(number,))
    return found
