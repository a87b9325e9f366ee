"""Expressions: measures, sums, dates and times, which may be written in several ways: 5 km or 5000 m, 5 March or 5/3.

What each may stand for is a set of meanings; two expressions say the same when they share one. A day and a month that
could be either way round (05/03/2024) have both meanings. The tables are `data/measures.json`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, TypeVar

from ragvigil.scorer.checks.reading.clock import BEHIND_A_DIGIT, clock_times, has_clue
from ragvigil.scorer.checks.reading.days_afar import ANY_YEAR, FAR_MONTHS, day_of, far_days
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.numerals import PARTS, plain_digits, readings
from ragvigil.scorer.checks.reading.patterns import ELIDED
from ragvigil.scorer.checks.reading.words import UNSPACED
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data

Meaning = tuple[str, float | date]
"""What is measured, and how much of it in its smallest unit; or the day, without its year that of `ANY_YEAR`."""
DAY, CLOCK = "day", "clock"
"""The kinds of meaning that need no unit."""
_UNMEASURED = frozenset((DAY, CLOCK))

_DATA: Any = read_data("measures.json")
OPPOSITES: Any = read_data("opposites.json")
"""Words that exclude each other, of which the names of the months are needed here; `alignment.swaps` reads the rest."""


def _units() -> dict[str, list[tuple[str, float]]]:
    found: dict[str, list[tuple[str, float]]] = {}
    for kind, units in _DATA["measures"].items():
        for size, names in units:
            for name in names.split():
                found.setdefault(name, []).append((kind, size))
    return found


_UNITS = _units()
_FRACTIONS: dict[str, float] = _DATA["fractions"]
SHARES: dict[str, float] = {
    spelled: share for name, share in _DATA["shares"].items() for spelled in (name, name.replace(" ", "-"))
}
"""Parts of a whole in words: two thirds, un tercio."""
_SCALES: dict[str, int] = _DATA["scales"]
"""Beside a currency only; elsewhere m is a metre."""
_TIMES: dict[str, frozenset[Meaning]] = {
    name: frozenset({(kind, float(amount))})
    for kind, table in (("time", "spelled_times"), ("calendar", "spelled_months"))
    for name, amount in _DATA[table].items()
}
_SPELLED = re.compile(rf"(?<!\w)(?:{longest_first(_TIMES)})(?!\w)", re.IGNORECASE)
_SINGLE = frozenset(_DATA["single"])
"""Words for one, which count only beside a unit that is spelled."""
_BEFORE_A_SINGLE = frozenset(_DATA["before_a"])
"""Words behind which *a* is one, and not *per*: within a year, but not twice a year."""
_SHORTEST_UNIT = 3
_MAY_BE_SPELLED = re.compile(
    r"hour|tunde|hora|heure|[ 'z]ora\b|ezzora| uur|godziny"
    r"|half[ -](?:a )?year|quarters? of a year|viertel ?[Jj]ahr|year and a half|\bun an\b|albe[sn]? Jahr|halb Jahre"
    r"|meio ano|medio año|an et demi|ano e meio|año y medio|zzo anno|anno e mezzo|half jaar|pół roku"
)
_LONG_SCALES = {name: power for name, power in LEXICON.scales.items() if name not in _UNITS}
CURRENCY_SIGNS = frozenset("$€£¥₹")
CURRENCIES: dict[str, str] = {name: names[0] for names in _DATA["currencies"] for name in names}
_HUNDREDTHS: dict[str, list[str]] = _DATA["hundredths"]
_NAMES = frozenset((*_UNITS, *_LONG_SCALES, *CURRENCIES, *_HUNDREDTHS))
MONTHS: dict[str, int] = {
    name: place
    for names in (OPPOSITES["months"], _DATA["short_months"], _DATA["other_months"])
    for place, entry in enumerate(names, 1)
    for name in entry.split()
}
"""The names of the months in eight languages, with the place of each in the year."""
_MONTH = longest_first(MONTHS)
_DIGITS = rf"(?=\d)(?<![^\W{UNSPACED}])"
"""Before what begins with a digit; looked for in this order, for most places have none."""
_DATE = re.compile(
    rf"(?<![.,/-])(?:{_DIGITS}(?:(?P<y>\d{{4}})(?P<mark>[-/.])(?P<m>\d{{1,2}})(?P=mark)(?P<d>\d{{1,2}})"
    rf"|(?P<one>\d{{1,2}})(?P<sign>[-/.])(?P<other>\d{{1,2}})(?P=sign)(?P<year>\d{{4}})"
    r"|(?P<first>[0-3]?\d)/(?P<second>[0-3]?\d)/(?P<short>\d\d)"
    rf"|(?P<day>\d{{1,2}})(?:(?:st|nd|rd|th|er|\.|º)?\s(?:de\s|of\s)?|-)(?P<month>{_MONTH})(?:\.?,?\s(?:de\s|del\s|of\s)?|-)(?P<in>\d{{4}})"
    r"|(?P<nian>\d{4})年\s?(?P<yue>\d{1,2})月\s?(?P<ri>\d{1,2})日)"
    rf"|(?<!\w)(?P<name>{_MONTH})\.?\s(?P<at>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<of>\d{{4}}))"
    r"(?=T\d\d:|(?<=\d-\d\d-\d\d),|(?![^\W年月日\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]|[/-]|[.,]\d))",
    re.IGNORECASE,
)
_OFANY_YEAR = re.compile(
    rf"(?<![.,/-])(?:{_DIGITS}(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s(?:de\s|of\s)?(?P<month>{_MONTH})\b"
    r"|(?P<one>[0-3]\d)(?P<sign>[./])(?P<other>[0-3]\d)(?:(?<=\d)(?![\w/:-]|[.,]\d)|\.(?!\d))"
    r"|(?P<yue>\d{1,2})月\s?(?P<ri>\d{1,2})日)"
    rf"|(?<!\w)(?:(?P<name>{_MONTH})\.?\s(?P<at>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:]|[.,]\d)"
    r"|(?:am|ab|vom|zum|bis|den)\s(?P<tag>\d{1,2})\.\s?(?P<monat>\d{1,2})\.(?!\d)))",
    re.IGNORECASE,
)
_WORDS_TOO = frozenset(("may", "mar", "set", "out", "ago", "sept"))
"""Names of months that are other words, too, in small letters."""
_CENTURIES = (2000, 1900)
"""To which a year of two digits may belong."""
_TOKEN = re.compile(
    rf"\d{{1,15}}(?:[.,'\u2019/]\d{{1,15}}){{0,5}}(?: ?[{PARTS}](?!\w))?|{ELIDED}|[^\W\d_]{{1,20}}|[%$€£¥₹]"
)
_BEHIND_A_NUMBER = re.compile(rf"\d(?: ?[{PARTS}])?\)?[ \u00a0\u202f-]?([^\W\d_{PARTS}]{{1,20}}|[%€$£¥₹])")
_DIGIT_OR_SIGN = re.compile(r"[\d$€£¥₹]")
_MAY_BE_A_DAY = re.compile(
    r"\d(?:\d{3}[-/.]\d|[-/.]\d{4}|/[0-3]?\d/\d\d|-[^\W\d_]{3,10}-\d{4}"
    r"|(?:st|nd|rd|th|er|\.|º)?,?\s(?:(?:de\s|of\s)?[^\W\d_]{3,10}\.?,?\s(?:de\s|del\s|of\s)?)?\d{4}|年)"
)
"""Every day begins so, or holds this; it is found at its digits, without trying the names of months everywhere.

All of it begins with one kind of character, to which the engine skips."""
_WORD_BEHIND = re.compile(r"\d(?:st|nd|rd|th|er|\.|º)?\s(?:de\s|of\s)?([^\W\d_]{3,12})")
_SMALL = re.compile(r"\d(?<=\s\d)\d?(?!\d)")
_WORD_BEFORE = re.compile(r"([^\W\d_]{3,12})\.?\s\Z")
_LONGEST_BEFORE = 15
_MAY_BE_OFANY_YEAR = re.compile(r"\d(?:(?<=[0-3])(?<!\d\d)\d[./][0-3]\d(?!\d)|\.\s?[01]?\d\.(?!\d)|月)")
_MAY_BE_TOLD = re.compile(
    rf"[$€£¥₹\d](?:(?<=\D)|/\d|{_MAY_BE_A_DAY.pattern[2:]}|{BEHIND_A_DIGIT}|{_MAY_BE_OFANY_YEAR.pattern[2:]})"
)
"""All that begins with a digit, and a sum: looked for together."""
_SPELLED_UNIT = 4
"""Letters of a unit that is no abbreviation."""
_SPELLED_UNITS = frozenset(name for name in _UNITS if len(name) >= _SPELLED_UNIT)
_COUNTING = _SINGLE | {"a"} | LEXICON.number_words.keys()
_AMOUNTS = _COUNTING | _FRACTIONS.keys()
"""What a measure may begin with that begins with no digit."""
_TOLD_BY = _NAMES | _FRACTIONS.keys()
"""What stands in every measure, but in a number with a stroke."""
MONEY = CURRENCIES.keys() | _HUNDREDTHS.keys()
"""What stands in every sum of money."""
_GAP = frozenset(("", " ", "-", "\u00a0", "\u202f"))
T = TypeVar("T")
_JOINED = frozenset((*_GAP, ", ", " and ", " e ", " y ", " und ", " et "))


class Expression(NamedTuple):
    """A measure, a sum of money, a share or a day."""

    start: int
    end: int
    meanings: frozenset[Meaning]
    """Each thing it may stand for."""


class _Measure(NamedTuple):
    """A number with its unit."""

    start: int
    end: int
    amounts: dict[str, tuple[float, frozenset[float]]]
    """By what is measured: the unit's size, and how many of the smallest ones there may be."""


def expressions(text: str, kinds: Collection[str] | None = None) -> list[Expression]:
    """The measures, sums and dates of `text` that may be written in other ways.

    `kinds` of meanings are read alone: DAY, CLOCK, or all measures for the sake of one of them; None: all.

    >>> one, other = expressions("It is 1.5 h long."), expressions("It takes 1 hour and 30 minutes.")
    >>> one[0].meanings & other[0].meanings, [text[5:] for text in ("about 5 apples",) if expressions(text)]
    (frozenset({('time', 5400.0)}), [])
    >>> [expressions(day)[0].meanings for day in ("5 March 2024", "2024-03-05")]
    [frozenset({('day', datetime.date(2024, 3, 5))}), frozenset({('day', datetime.date(2024, 3, 5))})]
    """
    found: list[Expression] = []
    if kinds is None or DAY in kinds:
        found += _all_days(text)
    if kinds is None or CLOCK in kinds:
        found += [
            Expression(start, end, frozenset((CLOCK, float(minute)) for minute in at))
            for start, end, at in clock_times(text)
        ]
    if kinds is None or not _UNMEASURED.issuperset(kinds):
        found += _all_measures(text)
    return sorted(found)


def _all_days(text: str) -> list[Expression]:
    """Days of a year, then those of any; of both some in other languages."""
    dates = _DATE.finditer(text) if _MAY_BE_A_DAY.search(text) else ()
    days = [Expression(*found.span(), meant) for found in dates if (meant := _days(found))]
    days += [Expression(start, end, frozenset(((DAY, day),))) for start, end, day in far_days(text)]
    if _may_be_of_any_year(text):
        whole = {place for one in days for place in range(one.start, one.end)}
        others = [found for found in _OFANY_YEAR.finditer(text) if found.start() not in whole]
        days += [
            Expression(max(found.start(), found.start("tag")), found.end(), meant)
            for found in others
            if (meant := _days_of_any_year(found))
        ]
    return days


def _all_measures(text: str) -> list[Expression]:
    """What is spelled, as *half an hour* is, then what is told with a number."""
    if not _MAY_BE_SPELLED.search(text):
        return [*_measures(text)]  # as mostly
    spelled = [Expression(*one.span(), _TIMES[one[0].casefold()]) for one in _SPELLED.finditer(text)]
    starts = [one.start for one in spelled]
    return [*spelled, *(one for one in _measures(text) if not _touches(one, spelled, starts))]


def _touches(one: Expression, others: Sequence[Expression], starts: Sequence[int]) -> bool:
    """Whether it overlaps one of `others`, which begin at `starts`, ascending, and do not overlap each other."""
    before = bisect_left(starts, one.end)
    return before > 0 and others[before - 1].end > one.start


def implied(meanings: frozenset[Meaning]) -> frozenset[Meaning]:
    """What is also said by one who says `meanings`: a day of a year is that day without its year.

    >>> implied(frozenset({("day", date(2024, 3, 5))}))
    frozenset({('day', datetime.date(4, 3, 5))})
    """
    return frozenset(
        (DAY, day.replace(year=ANY_YEAR)) for kind, day in meanings if kind == DAY and isinstance(day, date)
    )


def may_have(text: str, runs: Collection[str]) -> bool:
    """Whether `expressions` might find any with digits, a time of the day or so many of a unit: a quick first look.

    `runs`: the letters in a row of `text`, in lower case.
    """
    if not _DIGIT_OR_SIGN.search(text):
        return has_clue(text, runs) or not (_COUNTING.isdisjoint(runs) or _SPELLED_UNITS.isdisjoint(runs))
    if not _NAMES.isdisjoint(map(str.casefold, _BEHIND_A_NUMBER.findall(text))):
        return True
    if _MAY_BE_TOLD.search(text) or has_clue(text, runs):
        return True
    if not MONTHS.keys().isdisjoint(runs) and _may_be_of_any_year(text):
        return True
    may_be_far = not text.isascii() or not FAR_MONTHS.keys().isdisjoint(runs)
    return may_be_far and next(far_days(text), None) is not None


def _may_be_of_any_year(text: str) -> bool:
    """Whether `_OFANY_YEAR` might find any."""
    if _MAY_BE_OFANY_YEAR.search(text) or any(one.casefold() in MONTHS for one in _WORD_BEHIND.findall(text)):
        return True
    before = (text[max(0, one.start() - _LONGEST_BEFORE) : one.start()] for one in _SMALL.finditer(text))
    words = (_WORD_BEFORE.search(one) for one in before)
    return any(word is not None and word[1].casefold() in MONTHS for word in words)


def _days_of_any_year(found: re.Match[str]) -> frozenset[Meaning]:
    if found["one"]:
        tried = [(found["other"], found["one"])]
        tried += [] if found["sign"] == "." else [(found["one"], found["other"])]
    elif found["tag"]:
        tried = [(found["monat"], found["tag"])]
    elif found["yue"]:
        tried = [(found["yue"], found["ri"])]
    else:
        name = found["month"] or found["name"]
        if name in _WORDS_TOO:
            return frozenset()
        tried = [(str(MONTHS.get(name.casefold(), 0)), found["day"] or found["at"])]
    days = (day_of(ANY_YEAR, *map(int, one)) for one in tried)
    return frozenset((DAY, day) for day in days if day is not None)


def _days(found: re.Match[str]) -> frozenset[Meaning]:
    if found["nian"]:
        tried = [(found["nian"], found["yue"], found["ri"])]
    elif found["y"]:
        tried = [(found["y"], found["m"], found["d"])]
    elif found["year"]:
        tried = [(found["year"], found["other"], found["one"])]
        tried += [] if found["sign"] == "." else [(found["year"], found["one"], found["other"])]
    elif found["short"]:
        years = [str(century + int(found["short"])) for century in _CENTURIES]
        tried = [(year, found["second"], found["first"]) for year in years]
        tried += [(year, found["first"], found["second"]) for year in years]
    elif found["month"]:
        tried = [(found["in"], str(MONTHS.get(found["month"].casefold(), 0)), found["day"])]
    else:
        tried = [(found["of"], str(MONTHS.get(found["name"].casefold(), 0)), found["at"])]
    return frozenset((DAY, day) for one in tried if (day := day_of(*map(int, one))) is not None)


def _measures(text: str) -> Iterator[Expression]:
    told = list(_TOKEN.finditer(plain_digits(text)))
    tokens = [found[0].casefold() for found in told]
    if _TOLD_BY.isdisjoint(tokens) and "/" not in text:
        return  # as mostly
    parts = [(said, *found.span()) for said, found in zip(tokens, told, strict=True)]
    whole: _Measure | None = None
    for place, said in enumerate(tokens):
        measure = _measure(text, parts, place) if said[0].isdecimal() or said in _AMOUNTS else None
        if measure is None:
            continue
        if whole and (joined := _joined(text, whole, measure)):
            whole = joined
            continue
        if whole:
            yield _said(whole)
        whole = measure
    if whole:
        yield _said(whole)


def _said(measure: _Measure) -> Expression:
    meanings = ((kind, amount) for kind, (_, amounts) in measure.amounts.items() for amount in amounts)
    return Expression(measure.start, measure.end, frozenset(meanings))


def _joined(text: str, one: _Measure, other: _Measure) -> _Measure | None:
    """1 hour 30 minutes: the second measures the same in a smaller unit."""
    if text[one.end : other.start] not in _JOINED:
        return None
    amounts = {
        kind: (other.amounts[kind][0], frozenset(a + b for a in held for b in other.amounts[kind][1]))
        for kind, (size, held) in one.amounts.items()
        if kind in other.amounts and other.amounts[kind][0] < size
    }
    return _Measure(one.start, other.end, amounts) if amounts else None


def _measure(text: str, parts: list[tuple[str, int, int]], place: int) -> _Measure | None:
    """The number at `place` with what stands beside it; None where that makes no measure."""
    said, start, end = parts[place]
    before = parts[place - 1][0] if place else ""
    behind = parts[place + 1][0] if place + 1 < len(parts) else ""
    if not (behind in _NAMES or before in CURRENCIES or said in _FRACTIONS or "/" in said):
        return None  # as mostly
    numbers = {1.0} if _is_one_of_a_unit(parts, place) else _numbers(said)
    if said in _SINGLE and len(behind) < _SPELLED_UNIT:
        return None
    if not numbers:
        share = _FRACTIONS.get(said)
        return _Measure(start, end, {"ratio": (1.0, frozenset((share,)))}) if share else None
    money = place and parts[place - 1][2] >= start - 1 and CURRENCIES.get(before)
    if money:
        start = parts[place - 1][1]
    following = place + 1
    scale = _beside(text, parts, end, following, _LONG_SCALES)
    if scale is None and money:
        scale = _beside(text, parts, end, following, _SCALES)
    if scale is not None:
        numbers = {round(number * 10.0**scale, 9) for number in numbers}
        end, following = parts[following][2], following + 1
    money = money or _beside(text, parts, end, following, CURRENCIES)
    if money:
        return _Measure(start, end, {f"sum {money}": (1.0, frozenset(numbers))})
    if amounts := _in_units(text, parts, end, following, numbers):
        return _Measure(start, parts[following][2], amounts)
    ratio = {"ratio": (1.0, frozenset(numbers))}
    return _Measure(start, end, ratio) if "/" in said and len(numbers) == 1 else None


def _in_units(
    text: str, parts: list[tuple[str, int, int]], end: int, place: int, numbers: set[float]
) -> dict[str, tuple[float, frozenset[float]]]:
    """What `numbers` before `end` come to in cents or units, if the part at `place` is one; see `_Measure`."""
    if hundredths := _beside(text, parts, end, place, _HUNDREDTHS):
        amount = frozenset(round(number / 100, 9) for number in numbers)
        return {f"sum {one}": (1.0, amount) for one in hundredths}
    units = _beside(text, parts, end, place, _UNITS) or ()
    return {kind: (size, frozenset(round(one * size, 9) for one in numbers)) for kind, size in units}


def _beside(
    text: str, parts: list[tuple[str, int, int]], end: int, place: int, names: Mapping[str, T]
) -> T | None:
    """What `names` says of the part at `place`, if that stands right behind `end`, or a parenthesis that closes there.

    So contracts tell a number twice: thirty-six (36) months.
    """
    if place >= len(parts):
        return None
    gap = text[end : parts[place][1]]
    if gap in _GAP or (gap == ") " and text[: parts[place - 1][1]].endswith("(")):
        return names.get(parts[place][0])
    return None


def _is_one_of_a_unit(parts: list[tuple[str, int, int]], place: int) -> bool:
    """Whether the part at `place` is the *a* of "within a year"."""
    if parts[place][0] != "a" or not 0 < place < len(parts) - 1:
        return False
    unit = parts[place + 1][0]
    return parts[place - 1][0] in _BEFORE_A_SINGLE and len(unit) >= _SHORTEST_UNIT and unit in _UNITS


def _numbers(said: str) -> set[float]:
    if said[0].isdecimal():
        one, over, other = said.partition("/")
        if over and "'" not in one:
            return {int(one) / int(other)} if one.isdecimal() and other.isdecimal() and int(other) else set()
        return {float(one) for one in readings(said) if one.replace(".", "", 1).isdecimal()}
    number = "1" if said in _SINGLE else LEXICON.number_words.get(said)
    return {float(number)} if number and number.isdecimal() else set()
