"""Clauses: where one sentence says two things."""

from __future__ import annotations

import re
from itertools import pairwise

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.sentences import trim
from ragvigil.scorer.choices import longest_first

_OPENERS = longest_first(LEXICON.clause_openers)
_JOINT = re.compile(rf"[;\uff1b]\s*|,\s+(?=(?:{_OPENERS})\s)", re.IGNORECASE)
_FEWEST_WORDS = 4
_ENOUGH_CHARACTERS = 200


def clauses(prose: str, start: int, end: int, fewest_words: int = _FEWEST_WORDS) -> list[Span]:
    """Coordinated clauses of the sentence from `start` to `end`, where both sides have `fewest_words` at least.

    >>> text = "It opens at nine daily, but it closes on public holidays."
    >>> [text[start:end] for start, end in clauses(text, 0, len(text))]
    ['It opens at nine daily', 'but it closes on public holidays.']
    """
    cuts = [start]
    sentence = prose[start:end]
    if "," not in sentence and ";" not in sentence and "\uff1b" not in sentence:
        whole = sentence and not (sentence[0].isspace() or sentence[-1].isspace())
        return [(start, end)] if whole else cut(prose, cuts, end)
    for match in _JOINT.finditer(prose, start, end):
        if _long_enough(prose, cuts[-1], match.start(), fewest_words) and _long_enough(
            prose, match.end(), end, fewest_words
        ):
            cuts.append(match.end())
    return cut(prose, cuts, end)


def cut(prose: str, cuts: list[int], end: int) -> list[Span]:
    """The stretches between `cuts` and `end`, without the white space and joints at their ends."""
    spans: list[Span] = []
    for first, last in pairwise([*cuts, end]):
        first, last = trim(prose, first, last)
        if first < last:
            spans.append((first, _without_joint(prose, first, last)))
    return spans


def _without_joint(prose: str, first: int, last: int) -> int:
    while last > first and prose[last - 1] in ",;\uff1b \t\n":
        last -= 1
    return last


def _long_enough(prose: str, start: int, end: int, fewest_words: int) -> bool:
    part = prose[start : min(end, start + _ENOUGH_CHARACTERS)]
    return len(part.split(None, fewest_words)) >= fewest_words
