"""Scaled tables: figures below "EUR thousand", which an answer tells in full, or in millions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.rounding import Rounded, figures, rounded
from ragvigil.scorer.checks.reading.words import Word, offsets, overlapping

_POWERS = {
    3: "thousands?|tausend|tsd\\.?|t(?=eur\\b|usd\\b|chf\\b)|miles|milhares|milliers|migliaia|duizend(?:en)?|tys\\.?|k",
    6: "millions?|mio\\.?|millionen|millones|milhões|milioni|miljoen|mln\\.?|mn",
    9: "billions?|mrd\\.?|milliarden|milliards|miliardi|miljard|mld\\.?|bn",
}
_MONEY = r"(?:eur|euros?|usd|us\$|gbp|chf|jpy|brl|r\$|[$€£¥]|dollars?|pounds?)"
_CAPTION = re.compile(
    r"(?:\(|\|\s?|^|,\s?)(?:(?:all\s)?(?:figures|amounts|values|angaben|beträge|valores|montants)\s)?"
    rf"(?:(?:in|en|em)\s)?(?:{_MONEY}\s)?(?:(?:in|en|em)\s)?(?:"
    + "|".join(f"(?P<p{power}>{names})" for power, names in _POWERS.items())
    + rf")(?:\s?(?:de\s|di\s|of\s)?{_MONEY})?\s?(?:\)|\||$|,)",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands alone in parentheses, a cell or a line and says of what the figures are so many."""
_LARGE = 100_000
_SIX_DIGITS = re.compile(r"\d(?:[.,'\u2019 \u00a0\u202f]?\d){5}")
_BEHIND_A_DIGIT = re.compile(r"\d[ \u00a0-]?([^\W\d_]{1,12})")


class Figures(NamedTuple):
    """The figures of passages whose caption says of what they are so many, ascending."""

    amounts: Sequence[float]
    said: Sequence[str]
    """As the passages have them."""


def may_scale(text: str) -> bool:
    """Whether a large amount is told: a quick first look.

    >>> may_scale("Sales were €1.32 billion in 2023."), may_scale("Sales were 1,320 in 2023.")
    (True, False)
    """
    if not _SIX_DIGITS.search(text) and LEXICON.scales.keys().isdisjoint(
        map(str.lower, _BEHIND_A_DIGIT.findall(text))
    ):
        return False  # as mostly
    return any(one.value >= _LARGE for one in rounded(text))


def scaled_figures(texts: Sequence[str]) -> Figures:
    """The figures of those `texts` that have one such caption.

    >>> scaled_figures(["Key figures (EUR thousand)\\n| Sales | 1,318,220 |", "Sales (2023): 5"])
    Figures(amounts=(1318220000.0,), said=('1318220',))
    """
    found: dict[float, str] = {}
    for text in texts:
        powers = {power for one in _CAPTION.finditer(text) for power in _POWERS if one[f"p{power}"]}
        if len(powers) == 1:
            power = powers.pop()
            found |= {value * 10.0**power: said for value, said in figures(text)}
    ranked = sorted(found)
    return Figures(tuple(ranked), tuple(found[one] for one in ranked))


def rescaled(sequence: Sequence[Word], text: str, known: Figures) -> list[Word]:
    """`sequence`, the words of `text`, with each amount as the figure of the passages that it tells, rounded or not.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> told = "Sales were €1.32 billion."
    >>> [word.stem for word in rescaled(words(told), told, Figures((1318220000.0,), ("1318220",)))]
    ['sal', 'wer', '1318220', '1318220']
    """
    found = list(sequence)
    for one in rounded(text):
        said = _figure(one, known)
        if said is not None:
            for place in overlapping(offsets(text), one.start, one.end):
                found[place] = Word(said, content=True, name=False, numbers=(said,))
    return found


def _figure(one: Rounded, known: Figures) -> str | None:
    place = bisect_left(known.amounts, one.value)
    near = [at for at in (place - 1, place) if 0 <= at < len(known.amounts)]
    near = [at for at in near if one.least <= known.amounts[at] <= one.most]
    return known.said[min(near, key=lambda at: abs(known.amounts[at] - one.value))] if near else None
