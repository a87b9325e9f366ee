"""Exceptions: what a sentence says of all but one thing, of which the opposite is so.

"Open daily except Sundays" is "closed on Sundays", and no "open on Sundays", of which it has all words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from ragvigil.scorer.checks.alignment.swaps import in_one_form, opposed
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, stems_of

_EXCEPT = stems_of((*OPPOSITES["except"]["words"], *OPPOSITES["except"]["of_statements"]))
_NONE = stems_of(OPPOSITES["none"])
_PREDICATES = stems_of(
    name for name in chain.from_iterable(chain.from_iterable(OPPOSITES["opposites"])) if " " not in name
)
"""What is so or not, which may stand right behind the exception."""
_LEAVES_OUT = re.compile(
    r"\b(?:but|other than|apart from|aside from|exclud\w+|besides|save|minus|bis auf|ausnahme|hors|à part|a parte"
    r"|fuera de|fora de|menos|moins)\b",
    re.IGNORECASE,
)
"""Of an exception in other words, which the claim has as well."""
_BETWEEN = 3
"""Words that tell nothing between "except" and what is excepted: except for the."""
_MOST_LEFT = 1
"""Meaningful words that a claim may lack, besides "except" and "all": daily, parts."""
DENYING = stems_of(OPPOSITES["denying"])
"""Stems of what denies without a negation."""
_MOST_SENTENCES = 20


class _Exception(NamedTuple):
    """What is excepted, in one form, and where it ends."""

    stems: set[str]
    end: int


def is_excepted(sequence: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether `sequence` excepts what `other`, which excepts nothing, is about.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> shop = words("The shop is open daily except Sundays.")
    >>> [is_excepted(shop, words(text)) for text in ("It is closed on Sundays.", "It is closed on Mondays.")]
    [True, False]
    """
    found = _exception(sequence)
    return (
        found is not None
        and _exception(other) is None
        and found.stems <= in_one_form([word.stem for word in other])
    )


def is_said_of_the_exception(
    claim: Sequence[Word], text: str, denying: bool, best: Segment, place: int, evidence: Evidence
) -> bool:
    """Whether `claim`, the words of `text`, says of the exception what the `best` segment says of all but that.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> from ragvigil.scorer.trace import Document
    >>> shop = Evidence([Document("a", "The shop is open daily except Sundays.")])
    >>> texts = ("The shop is open on Sundays.", "The shop is open on Mondays.", "The shop is closed on Sundays.")
    >>> best = shop.segments[0]
    >>> [is_said_of_the_exception(words(text), text, False, best, 0, shop) for text in texts]
    [True, False, False]
    """
    if _EXCEPT.isdisjoint(best.content) or best.span is None:
        return False  # as nearly always
    if denying != best.negated or _LEAVES_OUT.search(text) or not is_excepted(best.words, claim):
        return False
    if any(word.stem in _NONE for word in best.words) or opposed(text, best.sentence):
        return False
    return _says_the_rest(claim, best.words) and not _stands_elsewhere(claim, place, evidence)


def _says_the_rest(claim: Sequence[Word], sentence: Sequence[Word]) -> bool:
    """Whether `claim` says of what `sentence` excepts all that this says of the others, and nothing else."""
    found = _exception(sentence)
    if found is None or any(word.content and word.stem not in _PREDICATES for word in sentence[found.end :]):
        return False
    mine = in_one_form([word.stem for word in claim if word.content or word.numbers])
    told = [word for word in sentence if word.content and word.stem not in _EXCEPT]
    left = in_one_form([word.stem for word in told if not word.qualifier]) - mine
    if not found.stems < mine or not mine <= in_one_form([word.stem for word in sentence]):
        return False
    # who says less of it may say the opposite: prohibited but on the terrace, you may there
    return len(left) <= _MOST_LEFT and left.isdisjoint(_PREDICATES | DENYING)


def _exception(sequence: Sequence[Word]) -> _Exception | None:
    """The first meaningful words behind "except" that stand together."""
    excepting = (place for place, word in enumerate(sequence) if word.stem in _EXCEPT and word.content)
    first = next(excepting, None)  # German "aus", from, has the stem of "außer" and no content
    if first is None:
        return None  # as nearly always
    near = range(first + 1, min(first + 2 + _BETWEEN, len(sequence)))
    begins = next((place for place in near if sequence[place].content), None)
    if begins is None or sequence[begins].stem in _PREDICATES:
        return None
    end = begins
    while end < len(sequence) and sequence[end].content and sequence[end].stem not in _PREDICATES:
        end += 1
    return _Exception(in_one_form([word.stem for word in sequence[begins:end]]), end)


def _stands_elsewhere(claim: Sequence[Word], place: int, evidence: Evidence) -> bool:
    """Whether another sentence has all words of a claim and excepts none of them."""
    common = evidence.with_all([word.stem for word in claim if word.content], _MOST_SENTENCES)
    return any(one != place and not is_excepted(evidence.segments[one].words, claim) for one in common)
