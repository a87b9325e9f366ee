"""Bounds: what says only until or since when something is so, or when it is not, and so leaves room for other days."""

from __future__ import annotations

import re
from typing import Literal

from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.choices import longest_first

Bound = Literal["from", "to"]

EXCEPT_DAYS = longest_first((*OPPOSITES["except"]["words"], *OPPOSITES["except"]["of_days"]))
"""What names, as a choice in a pattern, the days on which it is otherwise."""
_NEAR = 30
_FOLLOWED = r"\s(?:\S{1,12}\s){0,2}\Z"
_FROM = re.compile(
    r"\b(?:after|from|since|starting|ab|nach|seit|von|vom|après|depuis|después|desde|depois|a partir|dopo|dal|na|vanaf|"
    rf"sinds|od|po){_FOLLOWED}",
    re.IGNORECASE,
)
_TO = re.compile(
    r"\b(?:until|till|through|thru|up to|by|before|ending|bis|vor|jusqu.{1,3}|avant|hasta|antes|até|entro|fino|prima|"
    rf"tot|voor|do|przed){_FOLLOWED}",
    re.IGNORECASE,
)
_BEGINS_OR_ENDS = re.compile(
    r"\b(?:begins?|began|starts?|started|ends?|ended|expires?|expired|beginnt|startet|endet|commence|débute|finit|expire|"
    rf"empieza|comienza|termina|começa|inizia|finisce|scade|begint|eindigt|zaczyna|kończy){_FOLLOWED}",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    rf"\b(?:{EXCEPT_DAYS}|excepting|other than|apart from|but not|ausser|ausgenommen|excepté|"
    r"menos|eccetto|escluso|behalve|uitgezonderd|oprócz|poza|z wyjątkiem|"
    r"weeks? of|woche (?:vom|des)|semaine du|semana del?|settimana del|week van)\b",
    re.IGNORECASE,
)
"""Before the days on which it is not so, or a week that has more days than the one that names it."""


def bound_of(text: str, start: int) -> Bound | None:
    """Whether what is told at `start` of `text` is since or until when something is so.

    >>> bound_of("Open until 5 May.", 11), bound_of("Open from 5 May.", 10), bound_of("Open on 5 May.", 8)
    ('to', 'from', None)
    """
    first = max(0, start - _NEAR)
    if _TO.search(text, first, start):
        return "to"
    return "from" if _FROM.search(text, first, start) else None


def begins_or_ends(text: str, start: int) -> bool:
    """Whether what is told at `start` of `text` is the day on which something begins or ends."""
    return _BEGINS_OR_ENDS.search(text, max(0, start - _NEAR), start) is not None


def excepts(claim: str, sentence: str) -> bool:
    """Whether one of them alone names an exception, or a whole week by one of its days.

    >>> excepts("Open on Monday.", "Open daily except Sunday."), excepts("Open on Monday.", "Open on Sunday.")
    (True, False)
    """
    return (_EXCEPTION.search(claim) is None) != (_EXCEPTION.search(sentence) is None)
