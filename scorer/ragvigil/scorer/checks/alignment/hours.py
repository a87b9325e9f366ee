"""Opening hours: what a claim says about days and times beside what a record says."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import log1p

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.timetable import Hours

_SHORT_DAYS = {
    name.removesuffix("-feira"): day for name, day in LEXICON.days.items() if name.endswith("-feira")
}
"""Portuguese days without the end of their names: what else they are, ordinals, stands in no range of days."""
_DAY_NAMES = "|".join(sorted(LEXICON.days, key=len, reverse=True))
_SHORT_DAY = "|".join(_SHORT_DAYS)
_DAY = re.compile(
    rf"\b({_DAY_NAMES})s?\b"
    rf"|\b({_SHORT_DAY})(?=\s(?:a|à|até)\s(?:{_DAY_NAMES}|{_SHORT_DAY})\b)|(?<=a\s[aà]\s)({_SHORT_DAY})\b",
    re.IGNORECASE,
)
_WEEK = re.compile(
    r"\b(?:(?:seven|7) days|daily|every ?day|all week|todos os dias|todos los días|"
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
    r"\b(\d{1,2})(?::(\d{2}))?\s?([ap])(?:m\b|\.m\b\.?)|\b(\d{1,2}):(\d{1,2})\b|\b(midnight|noon)\b",
    re.IGNORECASE,
)
_BY_24_HOURS = re.compile(r"\b(?:1[3-9]|2[0-3]):\d{1,2}\b(?!\s?[ap]\.?m)", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s.]*(?:to|through|until|till|and|-|\u2013|a|à|às|até|hasta|bis)\s*", re.IGNORECASE)
_DAY_MINUTES = 1440
_VARYING = re.compile(
    r"\b(?:var(?:y|ies|ying)|extend|except|most|main|until|earl|late|longer|shorter)", re.IGNORECASE
)
_LONGER = re.compile(
    r"\b(?:extended|longer|shorter|reduced)\s(?:(?:opening|business|operating)\s)?hours\b", re.IGNORECASE
)
_EXTENDED = re.compile(r"\b(?:extended|longer)\s(?:(?:opening|business|operating)\s)?hours\b", re.IGNORECASE)
_SPREAD = re.compile(
    r"\b(?:var(?:y|ies|ying)|rang(?:e|es|ing))\s(?:\w+\s)?(?:between|from)\s*\Z", re.IGNORECASE
)
_NEAR = 60
"""Characters before a range of times that may tell what it is."""
_VARIED = re.compile(
    r"\b(?:varying|different)\s(?:(?:opening|business|operating)\s)?hours\b|\bhours(?:\s\w+){0,2}\svar(?:y|ies)\b",
    re.IGNORECASE,
)
_LOOSELY = re.compile(r"daily|every ?day|diariamente|täglich", re.IGNORECASE)
_OPENS = re.compile(
    r"\b(?:open|operat|hours|abr|abiert|aberto|funciona|horári|horari|geöffnet|ouvert|apert)", re.IGNORECASE
)

_OPENS_AT = re.compile(r"\b(?:opens?|abre|öffnet|ouvre|apre)\b", re.IGNORECASE)
_CLOSES_AT = re.compile(
    r"\b(?:closes?|closing|until|till|fecha|cierra|schließt|ferme|chiude|bis|até|hasta|jusqu|fino)\b",
    re.IGNORECASE,
)

Mention = tuple[Span, set[int]]
"""Where days or times are named, and which."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where a claim and the opening hours differ."""

    figures: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """Mentions of days on which it is closed, times at which nothing opens or closes, the share of days that have
    other hours (1 more where some days are said to have longer hours and have not), whether any of these is there,
    whether the claim tells hours of days at all, and mentions of days and times that are right."""
    spans: tuple[Span, ...] = ()
    """Where the differing mentions stand in the claim."""
    right: tuple[Span, ...] = ()
    """Where the others stand."""


AGREED = Disagreement()


def compare(text: str, hours: Hours) -> Disagreement:
    """What `text` says of days and times that `hours` do not.

    >>> compare("It opens Monday to Friday from 9 AM to 5 PM.", {0: (540, 1020), 4: (540, 1080)}).figures[:3]
    (0.6931471805599453, 0.0, 0.5)
    """
    days, times = days_named(text), _times(text)
    constant = _constant(text, hours) or _no_longer(text, days, hours)
    if not days and not times and not constant:
        return AGREED
    shut = [] if _EXCEPTED.search(text) else _shut(text, days, hours)
    known = {minute % _DAY_MINUTES for span in hours.values() for minute in span}
    never = [span for span, minutes in times if minutes.isdisjoint(known)]
    others, wrong = _other_hours(text, days, times, hours)
    differing = (*shut, *never, *wrong, *constant)
    right = tuple(span for span, _ in (*days, *times) if not _within(span, differing))
    return Disagreement(
        (
            *(log1p(len(shut)), log1p(len(never)), others + len(constant)),
            *(float(bool(differing)), float(bool(days and times)), log1p(len(right))),
        ),
        differing,
        right,
    )


def _within(span: Span, spans: Sequence[Span]) -> bool:
    """Whether `span` touches one of `spans`."""
    return any(span[0] < end and span[1] > start for start, end in spans)


def _constant(text: str, hours: Hours) -> list[Span]:
    """Where some days are said to have other hours than the rest, though all have the same.

    Hours may also be said to vary because it is closed on some day.

    >>> _constant("extended hours on weekends", {day: (540, 1020) for day in range(7)})
    [(0, 14)]
    """
    if len(hours) < 2 or len(set(hours.values())) > 1:
        return []
    patterns = (_LONGER, _VARIED) if len(hours) == 7 else (_LONGER,)
    return [match.span() for pattern in patterns for match in pattern.finditer(text)]


def _no_longer(text: str, days: Sequence[Mention], hours: Hours) -> list[Span]:
    """Where the days named next are said to have longer hours than the others, and none of them is open longer.

    >>> _no_longer("longer hours on Friday", days_named("longer hours on Friday"), {3: (540, 1020), 4: (600, 1020)})
    [(0, 12)]
    """
    found: list[Span] = []
    for match in _EXTENDED.finditer(text):
        named = next((group for (start, _), group in days if start >= match.end()), set[int]())
        open_for = {day: (closes - opens) % _DAY_MINUTES for day, (opens, closes) in hours.items()}
        others = [minutes for day, minutes in open_for.items() if day not in named]
        these = [minutes for day, minutes in open_for.items() if day in named]
        if these and others and max(these) <= min(others):
            found.append(match.span())
    return found


def _shut(text: str, days: Sequence[Mention], hours: Hours) -> list[Span]:
    """Where days are named on which it is closed; a weekend or weekdays are so when none of them has hours.

    "Daily" need not be about the hours: there are daily specials.
    """
    opens = _OPENS.search(text) is not None
    return [
        (start, end)
        for (start, end), named in days
        if (hours.keys().isdisjoint(named) if _vague(text, start, end) else not named <= hours.keys())
        and (opens or not _LOOSELY.fullmatch(text, start, end))
    ]


def _vague(text: str, start: int, end: int) -> bool:
    """Whether this names the weekend or weekdays, of which one may have hours of its own."""
    return bool(_WEEKEND.fullmatch(text, start, end) or _WEEKDAYS.fullmatch(text, start, end))


def days_named(text: str) -> list[Mention]:
    """Mentions of days of the week, from Monday, 0: single ones, lists and ranges, and names of several.

    >>> days_named("Open Monday to Wednesday and at the weekend.")
    [((5, 24), {0, 1, 2}), ((36, 43), {5, 6})]
    """
    groups = [(match.span(), day) for match in _DAY.finditer(text) if (day := _day(match)) is not None]
    found: list[Mention] = []
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


def _day(match: re.Match[str]) -> int | None:
    """Which day it is; None for a name with a letter of another alphabet."""
    return LEXICON.days.get(match[1].lower()) if match[1] else _SHORT_DAYS.get(match[0].lower())


def _through(text: str, group: Mention, last: int) -> set[int]:
    """The days from the one that `group` ends with to `last`."""
    start, end = group[0]
    found = map(_day, takewhile(lambda one: one.end() <= end, _DAY.finditer(text, start)))
    named = [day for day in found if day is not None]
    return {(named[-1] + step) % 7 for step in range((last - named[-1]) % 7 + 1)}


def _times(text: str) -> list[Mention]:
    """Mentions of times, each with the minutes after midnight that it may stand for."""
    found: list[Mention] = []
    by_24_hours = _BY_24_HOURS.search(text) is not None
    for match in _TIME.finditer(text):
        if match[6]:
            minutes = {0 if match[6].lower() == "midnight" else 720}
        elif match[3]:
            minutes = {(int(match[1]) % 12 + 12 * (match[3].lower() == "p")) * 60 + int(match[2] or 0)}
        else:
            hour, minute = int(match[4]), int(match[5])
            minutes = {(hour * 60 + minute) % _DAY_MINUTES}
            if hour <= 12 and not by_24_hours:
                minutes.add(((hour % 12 + 12) * 60 + minute) % _DAY_MINUTES)
        found.append((match.span(), minutes))
    return found


def _other_hours(
    text: str, days: Sequence[Mention], times: Sequence[Mention], hours: Hours
) -> tuple[float, list[Span]]:
    """The share of days, summed over ranges of times, whose hours are others than those said; and the ranges.

    Days stand before their times or after them; what makes sense of more ranges, and then agrees better, was meant.
    """
    ranges = _ranges(text, times)
    if not ranges:
        return _other_end(text, days, times, hours)
    varying = _VARYING.search(text) is not None
    readings: list[list[tuple[Span, float]]] = []
    for after in (False, True):
        meant = _meant(ranges, days, text, times, after=after)
        readings.append(
            [
                (span, _wrong(opens, closes, group, hours, lenient=varying or vague))
                for (span, opens, closes), (group, vague) in zip(ranges, meant, strict=True)
                if group and not (_said_to_spread(text, span[0]) and _spread(opens, closes, hours))
            ]
        )
    shares = min(readings, key=lambda one: (-len(one), sum(share for _, share in one)))
    return sum(share for _, share in shares), [span for span, share in shares if share]


def _other_end(
    text: str, days: Sequence[Mention], times: Sequence[Mention], hours: Hours
) -> tuple[float, list[Span]]:
    """The same for the one time at which it opens, or closes, on the one day or days that are named.

    >>> text = "On Sunday it closes at 10 PM."
    >>> _other_end(text, days_named(text), _times(text), {0: (540, 1320), 6: (540, 1260)})
    (1.0, [(23, 28)])
    """
    if len(days) != 1 or len(times) != 1 or _vague(text, *days[0][0]):
        return 0.0, []
    end = _CLOSES_AT.search(text) is not None
    if not end and _OPENS_AT.search(text) is None:
        return 0.0, []
    (span, minutes), (_, named) = times[0], days[0]
    told = [hours[day][end] % _DAY_MINUTES in minutes for day in sorted(named) if day in hours]
    return (0.0, []) if any(told) or not told else (1.0, [span])


def _said_to_spread(text: str, start: int) -> bool:
    """Whether a range that begins there is called the one within which hours vary."""
    return _SPREAD.search(text, max(0, start - _NEAR), start) is not None


def _spread(opens: set[int], closes: set[int], hours: Hours) -> bool:
    """Whether these are the first opening and the last closing of the week."""
    first, last = min(hours.values())[0], max(closing or _DAY_MINUTES for _, closing in hours.values())
    return first in opens and last % _DAY_MINUTES in closes


def _ranges(text: str, times: Sequence[Mention]) -> list[tuple[Span, set[int], set[int]]]:
    """Pairs of times of which the second follows as the end of the first, with what either may stand for."""
    found: list[tuple[Span, set[int], set[int]]] = []
    for (first, opens), (second, closes) in pairwise(times):
        if (not found or found[-1][0][1] <= first[0]) and _BETWEEN.fullmatch(text, first[1], second[0]):
            found.append(((first[0], second[1]), opens, closes))
    return found


def _meant(
    ranges: Sequence[tuple[Span, set[int], set[int]]],
    days: Sequence[Mention],
    text: str,
    times: Sequence[Mention],
    *,
    after: bool,
) -> list[tuple[set[int], bool]]:
    """For each range of times, the days named between it and its neighbour, and whether they are a vague group."""
    found: list[tuple[set[int], bool]] = []
    for place, (span, _, _) in enumerate(ranges):
        low, high = (ranges[place - 1][0][1] if place else 0), span[0]
        if after:
            low = span[1]
            high = next((start for (start, _), _ in times if start >= low), sys.maxsize)
        between = [(span, named) for span, named in days if low <= span[0] and span[1] <= high]
        group = set[int]().union(*(named for _, named in between))
        found.append((group, any(_vague(text, *one) for one, _ in between)))
    return found


def _wrong(opens: set[int], closes: set[int], days: set[int], hours: Hours, *, lenient: bool) -> float:
    """The share of `days` that have other hours, in [0, 1]; 0 for up to half of them if the claim is `lenient`."""
    said = [hours[day] for day in sorted(days) if day in hours]
    others = [one % _DAY_MINUTES not in opens or other % _DAY_MINUTES not in closes for one, other in said]
    share = sum(others) / len(others) if others else 0.0
    return 0.0 if lenient and share <= 0.5 else share
