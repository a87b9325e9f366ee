"""Opening hours: what a claim says about days and times beside what a record says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p

from ragvigil.scorer.checks.reading.evidence import Hours
from ragvigil.scorer.checks.reading.lexicon import LEXICON

_DAY = re.compile(rf"\b({'|'.join(sorted(LEXICON.days, key=len, reverse=True))})s?\b", re.IGNORECASE)
_WEEK = re.compile(
    r"\b(?:(?:seven|7) days|daily|every ?day|all week|throughout the week|todos os dias|todos los días|"
    r"diariamente|täglich|tous les jours|ogni giorno)\b",
    re.IGNORECASE,
)
_WEEKDAYS = re.compile(r"\b(?:weekdays?|dias? úte?is|días? laborables?|wochentags)\b", re.IGNORECASE)
_WEEKEND = re.compile(
    r"\b(?:weekends?|fins? de semana|fines? de semana|week-ends?|wochenenden?)\b", re.IGNORECASE
)
_THROUGH = re.compile(
    r"\s*(?:to|through|thru|until|till|-|\u2013|a|à|até|hasta|al|bis|au|alla)\s*", re.IGNORECASE
)
_ALSO = re.compile(r"\s*(?:,|and|&|,\s*and|e|y|und|et)\s*", re.IGNORECASE)
_EXCEPTED = re.compile(
    r"\b(?:closed|except|excluding|fechad[oa]|exceto|cerrad[oa]|excepto|salvo|geschlossen|außer)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(\d{1,2})(?::(\d{2}))?\s?([ap])(?:m\b|\.m\b\.?)|\b(\d{1,2}):(\d{2})\b|\b(midnight|noon)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s.]*(?:to|through|until|till|and|-|\u2013|a|à|às|até|hasta|bis)\s*", re.IGNORECASE)
_DAY_MINUTES = 1440
_FAR = 25
_NEAR = 15

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where a claim and the opening hours differ."""

    figures: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Mentions of days on which it is closed, times at which nothing opens or closes, the share of days that have
    other hours, and whether the claim tells hours of days at all."""
    spans: tuple[Span, ...] = ()
    """Where the differing mentions stand in the claim."""


AGREED = Disagreement()


def compare(text: str, hours: Hours) -> Disagreement:
    """What `text` says of days and times that `hours` do not.

    >>> compare("It opens Monday to Friday from 9 AM to 5 PM.", {0: (540, 1020), 4: (540, 1080)}).figures[:3]
    (0.6931471805599453, 0.0, 0.5)
    """
    days, times = _days(text), _times(text)
    if not days and not times:
        return AGREED
    shut = [] if _EXCEPTED.search(text) else [span for span, named in days if not named <= hours.keys()]
    known = {minute % _DAY_MINUTES for span in hours.values() for minute in span}
    never = [span for span, minutes in times if minutes.isdisjoint(known)]
    others, wrong = _other_hours(text, days, times, hours)
    return Disagreement(
        (log1p(len(shut)), log1p(len(never)), others, float(bool(days and times))), (*shut, *never, *wrong)
    )


def _days(text: str) -> list[tuple[Span, set[int]]]:
    """Mentions of days: single ones, lists and ranges, and names of several."""
    groups = [(match.span(), LEXICON.days[match[1].lower()]) for match in _DAY.finditer(text)]
    found: list[tuple[Span, set[int]]] = []
    for (start, end), day in groups:
        last = found[-1] if found else None
        between = text[last[0][1] : start] if last else ""
        if last and _THROUGH.fullmatch(between):
            found[-1] = ((last[0][0], end), last[1] | _through(text, last, day))
        elif last and _ALSO.fullmatch(between):
            found[-1] = ((last[0][0], end), last[1] | {day})
        else:
            found.append(((start, end), {day}))
    for pattern, several in ((_WEEK, range(7)), (_WEEKEND, (5, 6)), (_WEEKDAYS, range(5))):
        found += [(match.span(), set(several)) for match in pattern.finditer(text)]
    return sorted(found, key=lambda one: one[0])


def _through(text: str, group: tuple[Span, set[int]], last: int) -> set[int]:
    """The days from the one that `group` ends with to `last`."""
    named = [LEXICON.days[match[1].lower()] for match in _DAY.finditer(text, *group[0])]
    return {(named[-1] + step) % 7 for step in range((last - named[-1]) % 7 + 1)}


def _times(text: str) -> list[tuple[Span, set[int]]]:
    """Mentions of times, each with the minutes after midnight that it may stand for."""
    found: list[tuple[Span, set[int]]] = []
    for match in _TIME.finditer(text):
        if match[6]:
            minutes = {0 if match[6].lower() == "midnight" else 720}
        elif match[3]:
            minutes = {(int(match[1]) % 12 + 12 * (match[3].lower() == "p")) * 60 + int(match[2] or 0)}
        else:
            hour, minute = int(match[4]), int(match[5])
            minutes = {(hour * 60 + minute) % _DAY_MINUTES}
            if hour <= 12:
                minutes.add(((hour % 12 + 12) * 60 + minute) % _DAY_MINUTES)
        found.append((match.span(), minutes))
    return found


def _other_hours(
    text: str, days: Sequence[tuple[Span, set[int]]], times: Sequence[tuple[Span, set[int]]], hours: Hours
) -> tuple[float, list[Span]]:
    """The share of days, summed over ranges of times, whose hours are others than those said; and the ranges."""
    share, spans, place = 0.0, list[Span](), 0
    while place + 1 < len(times):
        (first, opens), (second, closes) = times[place], times[place + 1]
        if not _BETWEEN.fullmatch(text, first[1], second[0]):
            place += 1
            continue
        place += 2
        span = (first[0], second[1])
        said = [hours[day] for day in sorted(_meant(days, span)) if day in hours]
        wrong = sum(
            one % _DAY_MINUTES not in opens or other % _DAY_MINUTES not in closes for one, other in said
        )
        if wrong:
            share += wrong / len(said)
            spans.append(span)
    return share, spans


def _meant(days: Sequence[tuple[Span, set[int]]], span: Span) -> set[int]:
    """The days of the mention that belongs to a range of times: the one before it, unless one follows closely."""
    before = [one for one in days if one[0][1] <= span[0]]
    after = [one for one in days if one[0][0] >= span[1]]
    if before and (not after or span[0] - before[-1][0][1] <= _FAR or after[0][0][0] - span[1] > _NEAR):
        return before[-1][1]
    return after[0][1] if after else set()
