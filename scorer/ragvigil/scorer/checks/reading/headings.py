"""Headings: what stands over other statements, and states nothing itself. A fact in bold or before a colon is none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.reading.expressions import expressions
from ragvigil.scorer.checks.reading.words import Word

STEPS = "step|paso|passo|schritt|étape"
STRESS = "#*_ \t"
"""The marks of headings and bold."""
_NUMBERED = re.compile(r"#{1,6}[ \t]")
_WHOLLY_BOLD = re.compile(r"(?:\*\*|__)[^*_\n]{1,100}(?:\*\*|__):?\Z")
_COLONS = (":", "\uff1a")
_LETTERED = "\u2e80"
"""Where scripts without spaces begin, in which each character counts as a word."""
_LONGEST = {False: 12, True: 24}
"""Words of a line that ends in a colon."""
_SENTENCE = {False: 5, True: 8}
"""The fewest words of a sentence that is stressed as a whole; a title of fewer may end in a full stop, too."""
_PAIR = 2
"""Cells of such a row; words of a measure."""
_STOPS = (".", "!", "\u3002", "\uff01", "\u0964", "\u06d4")
_IN_A_LIST = re.compile(rf"[{STRESS}]+(?:(?:{STEPS}) )?\d{{1,3}}[.:)][ \t]+", re.IGNORECASE)
_COMPOUND = re.compile(r"\d-[^\W\d_]")
_SUM = re.compile("[0-9][元円圓원]")
_CELL = re.compile(r"(?<![\\|])\|")


def is_heading(text: str, sequence: Sequence[Word]) -> bool:
    """Whether a statement of these words is in bold or a heading's form, or leads to what follows, and states nothing.

    It does state something where it tells a measure, a sum or a day, or, stressed, is a sentence.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> leading = ("**Returns**", "The plan includes:", "## A 3-day tour")
    >>> stating = ("**The goods can be returned.**", "**Fee: 5 euros**", "The plan costs 5 euros and includes:")
    >>> [[is_heading(text, words(text)) for text in texts] for texts in (leading, stating)]
    [[True, True, True], [False, False, False]]
    """
    if text[0] in STRESS and (_NUMBERED.match(text) or _WHOLLY_BOLD.match(text)):
        stressed = text.strip(STRESS)
        if len(sequence) >= _SENTENCE[stressed[:1] >= _LETTERED] and stressed.endswith(_STOPS):
            return False
    elif not text.endswith(_COLONS) or len(sequence) > _LONGEST[text[0] >= _LETTERED]:
        return False
    return not _measures(text)


def after_number(text: str) -> int:
    """Where a stressed statement begins behind its number in a list.

    >>> [text[after_number(text):] for text in ("**3. Bake it.**", "## 3 cakes are sold.", "**Bake it.**")]
    ['Bake it.**', '## 3 cakes are sold.', '**Bake it.**']
    """
    listed = _IN_A_LIST.match(text)
    return listed.end() if listed else 0


def is_header(row: str) -> bool:
    """Whether the first row of a table names its columns; a name beside nothing but a measure is a fact.

    >>> [is_header(row) for row in ("| Plan | Price in 2024 |", "| Time | 5 days |", "| Plan | 5 GB | 10 GB |")]
    [True, False, True]
    """
    cells = [cell.strip() for cell in _CELL.split(row.strip().strip("|"))]
    if len(cells) != _PAIR or not cells[0] or not cells[1][:1].isdecimal():
        return True
    return len(cells[1].split()) > _PAIR or not expressions(cells[1])


def _measures(text: str) -> bool:
    """Whether it tells a measure, a sum or a day; "3-day" and the like only name something."""
    if not any(one.isdecimal() for one in text) or _COMPOUND.search(text):
        return False
    return _SUM.search(text) is not None or bool(expressions(text))
