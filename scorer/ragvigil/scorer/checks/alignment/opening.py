"""Opening: what a claim says of days beside the one line of prose that tells the opening hours of the week."""

from __future__ import annotations

import re
from collections.abc import Set

from ragvigil.scorer.checks.alignment.bounds import EXCEPT_DAYS
from ragvigil.scorer.checks.alignment.hours import AGREED, Disagreement, compare, days_named
from ragvigil.scorer.checks.reading.timetable import Hours

_CLOSED = re.compile(
    r"\b(?:closed|shut|geschlossen|fechad[oa]|cerrad[oa]|ferm[ée]e?|chius[oa]|gesloten)\b", re.IGNORECASE
)
_EXCEPTED = re.compile(rf"\b(?:{EXCEPT_DAYS}|holidays?|feiertag\w*|might|may|if|unless)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:open|opens|hours|abiert[oa]|abre[ns]?|abert[oa]|geöffnet|offen|ouverte?s?|apert[oa]|geopend)\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d(?::\d\d|\s?[ap]\.?m\b|\s?Uhr\b|\s?h\b)|\b(?:noon|midnight)\b", re.IGNORECASE)
_PART_OF_A_DAY = re.compile(
    r"\b(?:mornings?|afternoons?|evenings?|nights?|lunch\w*|early|earlier|after|before|(?:vor|nach)mittags?|abends?|"
    r"mañanas?|tardes?|noches?|manhãs?|noites?|matins?|après-midi|soirs?)\b",
    re.IGNORECASE,
)
_IS_OPEN_AT = re.compile(
    r"(?:\b(?:are|is|be|stays?)|['\u2019](?:re|s))\s(?:\w{1,9}\s){0,2}open\s(?:\w{1,9}\s){0,3}at\s",
    re.IGNORECASE,
)
_SHUT, _NEVER, _OTHER = range(3)


def by_timetable(text: str, hours: Hours, *, denying: bool) -> tuple[Disagreement, bool]:
    """What `text` says of days and times that `hours` tell, and whether it tells of a day otherwise than they do.

    A time within the hours tells nothing of them, and what has exceptions may be so.

    >>> hours = {0: (540, 1020), 5: (600, 840)}
    >>> texts = ("On Saturday it is open from 10 am to 2 pm.", "It is open on Sundays.", "It is closed on Mondays.")
    >>> [by_timetable(text, hours, denying=False)[1] for text in texts]
    [False, True, True]
    """
    if _EXCEPTED.search(text):
        return AGREED, False
    closed = _CLOSED.search(text) is not None
    if (closed or denying) and (closed or _OPEN.search(text)):
        return _closed(text, hours.keys(), denying=closed and denying)
    if denying:
        return AGREED, False
    if _IS_OPEN_AT.search(text):
        return AGREED, False  # it need not open then
    found = compare(text, hours)
    shut, never, others = found.figures[: _OTHER + 1]
    if others or (shut and _OPEN.search(text)):
        return found, True
    return (AGREED if shut or never else found), False


def _closed(text: str, days: Set[int], *, denying: bool) -> tuple[Disagreement, bool]:
    """The same where it is said to be closed, or not to be open; `denying`: not to be closed."""
    named = days_named(text)
    told = set[int]().union(*(which for _, which in named))
    if not told or denying or _TIME.search(text) or _PART_OF_A_DAY.search(text):
        return AGREED, False
    if told & days and _OPEN.search(text) and _CLOSED.search(text):
        return AGREED, False
    if told <= days:
        return AGREED, True
    return (AGREED if told & days else Disagreement(right=tuple(span for span, _ in named))), False
