"""Timetables: opening hours that a passage tells in one line, Mon-Fri 9:00-17:00, Sat 10:00-14:00, Sun closed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.weekdays import SHORT_DAYS
from ragvigil.scorer.choices import longest_first

Hours = dict[int, tuple[int, int]]
"""For each day from Monday, 0: minutes after midnight at which it opens and closes; no entry: closed."""
_GROUPS = {
    **dict.fromkeys(("weekday", "weekdays", "wochentags", "werktags"), range(5)),
    **dict.fromkeys(("weekend", "weekends"), range(5, 7)),
}
_NAMES = {**SHORT_DAYS, **LEXICON.days}
_DAY = rf"(?:(?:{longest_first([*_GROUPS, *LEXICON.days])})s?|(?:{longest_first(SHORT_DAYS)})\.?)(?![^\W_])"
_THROUGH = r"\s?[-\u2013\u2014]\s?|\s(?:to|through|thru|bis|al?|\u00e0|au|t/m|tot)\s"
_ALSO = r"\s?[,&/+]\s?(?:and\s|und\s)?|\s(?:and|und|y|e|et|en)\s"
_CLOCK = r"\d{1,2}(?:[:.h][0-5]\d)?(?:\s?[ap]\.?m\b\.?|\s?Uhr|\s?h\b)?"
_CLOSED = r"closed|geschlossen|zu\b|cerrado|fechado|fermé|chiuso|gesloten"
_LINE = re.compile(
    rf"(?<![^\W_])(?P<days>{_DAY}(?:(?:{_THROUGH}|{_ALSO}){_DAY}){{0,6}})[*_\s]{{0,4}}[:|,]?[*_\s]{{0,4}}"
    rf"(?:(?:(?:from|von|de|das|dalle|van)\s)?(?P<opens>{_CLOCK})(?:\s?[-\u2013\u2014]\s?|\s(?:to|until|till|bis|a|\u00e0|às|alle|tot)\s)"
    rf"(?P<closes>{_CLOCK})(?![\w:]|[.,]\d)|(?P<closed>{_CLOSED}))"
    rf"|(?P<shut>{_CLOSED})\s(?:on\s|am\s)?(?P<which>{_DAY}(?:(?:{_THROUGH}|{_ALSO}){_DAY}){{0,6}})",
    re.IGNORECASE,
)
_RUN = re.compile(r"[^\W_]+")
_FIRST_WORDS = frozenset(
    _RUN.findall(name)[0] + ending for name in (*_GROUPS, *_NAMES) for ending in ("", "s")
)
"""What a day begins with: without it no line is looked for."""
_DAYS = re.compile(rf"{_DAY}(?:-{_DAY})?", re.IGNORECASE)
_ONE_DAY = re.compile(rf"(?<![^\W_]){_DAY}", re.IGNORECASE)
_IS_THROUGH = re.compile(_THROUGH, re.IGNORECASE)
_TIME = re.compile(r"(\d{1,2})(?:[:.h]([0-5]\d))?\s?(?:([ap])\.?m)?", re.IGNORECASE)
_ANOTHER = re.compile(
    rf"(?<![^\W_])(?:{longest_first([*_GROUPS, *LEXICON.days])})s?(?![^\W_])"
    r"|\d(?::[0-5]\d|\s?[ap]\.?m\b|\s?(?:Uhr|o'clock)\b)|\b(?:noon|midnight|daily|holidays?|feiertag\w*)\b"
    r"|\b(?:always|24/7|7/7|7j/7|(?:around|round) the clock|all week|any ?time|non-?stop|seven days"
    r"|24 (?:hours|stunden|horas|heures)|rund um die uhr|immer|jederzeit|todos l?os d[ií]as"
    r"|siempre|sempre|toujours|tous les jours)\b"
    r"|\bevery day\b",
    re.IGNORECASE,
)
"""What else tells days or times: then nobody knows which ones an answer is about."""
_HALF, _DAY_MINUTES = 720, 1440
_FEWEST = 2
_LONGEST = 50_000


def keyed(values: Iterable[tuple[str, tuple[int, int] | None]]) -> Hours:
    """The opening hours of a record whose keys are days in short, or ranges of them; None: closed.

    >>> keyed([("sat", (600, 840)), ("mon_tue", (540, 1020)), ("sun", None), ("name", None)])
    {5: (600, 840), 0: (540, 1020), 1: (540, 1020)}
    """
    found: Hours = {}
    told: set[int] = set()
    for key, span in values:
        name = key.replace("_", "-")
        days = [*_days(name)] if _DAYS.fullmatch(name) else []
        if not told.isdisjoint(days):
            return {}
        told.update(days)
        if span is not None:
            found.update(dict.fromkeys(days, span))
    return found if len(found) >= _FEWEST else {}


def tells_hours(sentence: str) -> bool:
    """Whether a sentence tells from when to when something is open on a day, or that it is closed."""
    return _LINE.search(sentence) is not None


def tells_days(texts: Iterable[str]) -> bool:
    """Whether any of `texts` tells days or times."""
    return any(_ANOTHER.search(text) for text in texts)


def timetable(texts: Iterable[str]) -> Hours:
    """The opening hours of the one line of `texts` that tells of several days; empty where others tell days or times.

    >>> timetable(["Open Mon-Tue 9:00-17:00, Sat 10 am to 2 pm, Sun closed."])
    {0: (540, 1020), 1: (540, 1020), 5: (600, 840)}
    >>> timetable(["Open Mon-Fri 9-17, Sat 10-14.", "The tour starts at 11:00."])
    {}
    """
    texts = [*texts]
    if sum(map(len, texts)) > _LONGEST:
        return {}
    runs = [_FIRST_WORDS.intersection(_RUN.findall(text.lower())) for text in texts]
    if len(frozenset[str]().union(*runs)) < _FEWEST:
        return {}  # as mostly
    found: Hours = {}
    told: set[int] = set()
    groups = 0
    rests: list[str] = []
    for text, named in zip(texts, runs, strict=True):
        read = 0
        for one in _LINE.finditer(text) if named else ():
            days = [*_days(one["days"] or one["which"])]
            if not told.isdisjoint(days):
                return {}
            told.update(days)
            groups += 1
            rests.append(text[read : one.start()])
            read = one.end()
            if one["opens"]:
                span = _span(one["opens"], one["closes"])
                if span is None:
                    return {}
                found.update(dict.fromkeys(days, span))
        rests.append(text[read:])
    return {} if groups < _FEWEST or tells_days(rests) else found


def _days(said: str) -> Iterator[int]:
    last: int | None = None
    end = 0
    for one in _ONE_DAY.finditer(said):
        name = one[0].casefold().rstrip(".")
        several = _GROUPS.get(name)
        if several is not None:
            yield from several
            last = None
            continue
        day = _NAMES.get(name, _NAMES.get(name.removesuffix("s")))
        if day is None:
            continue  # a letter is of another alphabet: FR\u0130DAY
        if last is not None and _IS_THROUGH.fullmatch(said, end, one.start()):
            yield from ((last + step) % 7 for step in range(1, (day - last) % 7 + 1))
        else:
            yield day
        last, end = day, one.end()


def _span(opens: str, closes: str) -> tuple[int, int] | None:
    """Minutes after midnight; None where it closes before it opens, so that a half of the day is left out."""
    one, other = _TIME.match(opens), _TIME.match(closes)
    if one is None or other is None:
        return None
    half = other[3] if one[3] is None else one[3]
    first, last = _minutes(one, half), _minutes(other, other[3])
    return (first, last % _DAY_MINUTES) if 0 <= first < last <= _DAY_MINUTES else None


def _minutes(time: re.Match[str], half: str | None) -> int:
    hour, minute = int(time[1]), int(time[2] or 0)
    if half is None:
        return hour * 60 + minute
    return (hour % 12) * 60 + minute + _HALF * (half in "pP")
