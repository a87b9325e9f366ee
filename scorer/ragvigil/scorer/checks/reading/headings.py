"""Headings: what stands over other statements, and states nothing itself. A fact in bold or before a colon is none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.reading.expressions import CLOCK, DAY, expressions
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.words import Word
from ragvigil.scorer.choices import longest_first

STEPS = "step|paso|passo|schritt|étape"
STRESS = "#*_ \t"
"""The marks of headings and bold."""
_NUMBERED = re.compile(r"#{1,6}[ \t]")
_WHOLLY_BOLD = re.compile(r"(?:\*\*|__)[^*_\n]{1,100}(?:\*\*|__):?\Z")
COLONS = (":", "\uff1a")
"""By which a line ends that leads to what follows."""
_LETTERED = "\u2e80"
"""Where scripts without spaces begin, in which each character counts as a word."""
_LONGEST = {False: 12, True: 24}
"""Words of a line that ends in a colon."""
_SENTENCE = {False: 6, True: 8}
"""The fewest words that state something: of fewer mostly a case is named, as "For orders over $50:"."""
_STOPS = (".", "!", "\u3002", "\uff01", "\u0964", "\u06d4")
_IN_A_LIST = re.compile(rf"[{STRESS}]+(?:(?:{STEPS}) )?\d{{1,3}}[.:)][ \t]+", re.IGNORECASE)
_LABELLED = re.compile(r"[^\d:\uff1a]{2,40}[:\uff1a]\s?(?=[\d$€£¥])")
"""A label before a value: "Fee: 5 euros"."""
_ASIDE = re.compile(r"\([^()]{0,80}\)|\uff08[^\uff08\uff09]{0,80}\uff09")
_CASE = re.compile(rf"(?:{longest_first(LEXICON.case_openers)})\b", re.IGNORECASE)
_UNSPACED_CASE = re.compile(rf"(?:{longest_first(LEXICON.case_endings)})[*_:\uff1a ]*\Z")
_COMPOUND = re.compile(r"\d-[^\W\d_]")
_SUM = re.compile("[0-9][元円圓원]")


def is_heading(text: str, sequence: Sequence[Word]) -> bool:
    """Whether a statement of these words is in bold or a heading's form, or leads to what follows, and states nothing.

    It does state something where it is a label with a value, or long enough for a sentence that tells a measure or a
    sum; but not where that only names the case of which the rest is said, or what is to come.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> leading = ("**Returns**", "The plan includes:", "For orders over 50 euros that weigh less:")
    >>> stating = ("**Fee: 5 euros**", "The plan costs 5 euros and includes:")
    >>> [[is_heading(text, words(text)) for text in texts] for texts in (leading, stating)]
    [[True, True, True], [False, False]]
    """
    if not _looks_like_one(text, sequence):
        return False
    said = text.strip(STRESS)
    if _LABELLED.match(said):
        return not _measures(said)
    unspaced = said[:1] >= _LETTERED
    if len(sequence) < _SENTENCE[unspaced] or _CASE.match(said) or (unspaced and _UNSPACED_CASE.search(said)):
        return True
    return not _measures(_ASIDE.sub("", said))


def is_stressed_sentence(text: str, sequence: Sequence[Word]) -> bool:
    """Whether it is stressed and a sentence: a fact where a citation says so, and else perhaps only polite.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> [is_stressed_sentence(text, words(text)) for text in ("**Pets are allowed inside the park.**", "**Pets.**")]
    [True, False]
    """
    said = text.strip(STRESS)
    return text[0] in STRESS and said.endswith(_STOPS) and len(sequence) >= _SENTENCE[said[:1] >= _LETTERED]


def repeats_question(text: str, question: str) -> bool:
    """Whether a statement in a heading's form tells no measure, sum or day but those of the question.

    >>> asked = "What does shipping cost for an order of 80 euros?"
    >>> texts = ("**Shipping of an order of 80 euros**", "**Shipping costs 5 euros at 80 euros**", "It costs 80 euros.")
    >>> [repeats_question(text, asked) for text in texts]
    [True, False, False]
    """
    if text.strip(STRESS).endswith(_STOPS) or (text[0] not in STRESS and not text.endswith(COLONS)):
        return False
    told = expressions(text)
    if not told:
        return False  # as mostly
    asked = {meaning for one in expressions(question) for meaning in one.meanings}
    return all(not asked.isdisjoint(one.meanings) for one in told)


def after_number(text: str) -> int:
    """Where a stressed statement begins behind its number in a list.

    >>> [text[after_number(text):] for text in ("**3. Bake it.**", "## 3 cakes are sold.", "**Bake it.**")]
    ['Bake it.**', '## 3 cakes are sold.', '**Bake it.**']
    """
    listed = _IN_A_LIST.match(text)
    return listed.end() if listed else 0


def _looks_like_one(text: str, sequence: Sequence[Word]) -> bool:
    if text[0] in STRESS and (_NUMBERED.match(text) or _WHOLLY_BOLD.match(text)):
        return True
    return text.endswith(COLONS) and len(sequence) <= _LONGEST[text[0] >= _LETTERED]


def _measures(text: str) -> bool:
    """Whether it tells a measure or a sum; a day only dates it, and "3-day" and the like only name something."""
    if not any(one.isdecimal() for one in text) or _COMPOUND.search(text):
        return False
    kinds = {kind for one in expressions(text) for kind, _ in one.meanings}
    return _SUM.search(text) is not None or not kinds <= {DAY, CLOCK}
