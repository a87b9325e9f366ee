"""Days afar: dates in languages whose months stand behind the day by one word or number, and years of an era.

5 марта 2026 года, 5 Mart 2026, 5 tháng 3 năm 2026, 2026년 3월 5일, 令和6年4月1日, พ.ศ. 2566. The names are `far_months`
of `data/measures.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from ragvigil.scorer.data import read_data

_DATA: Any = read_data("measures.json")
FAR_MONTHS: dict[str, int] = {
    name: place for place, entry in enumerate(_DATA["far_months"], 1) for name in entry.split()
}
"""Of Russian, Ukrainian, Turkish, Czech, Indonesian, Arabic, Hebrew and Hindi, in small letters."""
OTHER_MONTHS = frozenset((*FAR_MONTHS, *" ".join(_DATA["other_months"]).split()))
"""Those of languages in which only whole dates are compared, not months alone."""
_CAPITAL = frozenset(_DATA["capital_months"])
"""Those that in small letters are other words, too."""
_LETTER = r"[^\s\d.,;:!?()\[\]{}\u00ab\u00bb\u201c-\u201f\"'\u2019/\u060c\u0964\u2013\u2014-]"
_NAMED = re.compile(
    rf"(?P<day>\d(?<![\w.,/:]\d)(?<!\d-\d)\d?)(?:\.|-\u0433\u043e|-\u0435)?[ \u00a0](?P<month>{_LETTER}{{3,12}})"
    r"(?:[.,]?[ \u00a0](?P<year>1[5-9]\d\d|2[01]\d\d)(?!\d|[.,:]\d))?"
)
_NUMBERED = re.compile(
    r"(?P<day>\d(?<![\w.,/:]\d)\d?)[ \u00a0]tháng[ \u00a0](?P<month>1[0-2]|0?[1-9])(?!\d)"
    r"(?:,?[ \u00a0](?:năm[ \u00a0])?(?P<year>1[5-9]\d\d|2[01]\d\d)(?!\d))?(?![ \u00a0](?:ngày|tuần|lần|năm)(?!\w))",
    re.IGNORECASE,
)
"""In Vietnamese; without a year, and without *ngày* before it, it may be five months."""
_A_DAY = re.compile(r"(?:ngày|mùng|mồng)[ \u00a0]\Z", re.IGNORECASE)
_LONGEST_BEFORE = 6
_HANGUL = re.compile(
    r"(?:(?P<year>\d(?<!\d\d)\d{3})년 ?)?(?P<month>\d(?<!\d\d)\d?)월 ?(?P<day>\d{1,2})일(?!간)"
)
_FIRST_YEARS = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}
_OF_AN_ERA = re.compile(
    rf"(?P<era>{'|'.join(_FIRST_YEARS)})(?P<of>\d{{1,2}}|元)年(?:(?P<month>\d{{1,2}})月(?P<day>\d{{1,2}})日)?"
)
_PLAIN_YEAR = re.compile(r"\d(?<!\d\d)\d{3}(?=年)")
_THAI_YEAR = re.compile(r"(?P<era>[พค])\.ศ\. ?(?P<of>\d{4})(?!\d)")
_OF_BUDDHA = 543
"""Years by which that era is ahead."""
ANY_YEAR = 4
"""A leap year before all that are told, for days without one."""


def far_days(text: str) -> Iterator[tuple[int, int, date]]:
    """Where the days begin and end that `text` tells in one of these ways, and which; without a year of `ANY_YEAR`.

    >>> told = ("5 марта 2026 года", "ngày 5 tháng 3", "trong 5 tháng 3 lần", "3월 5일", "令和6年4月1日", "5 March")
    >>> [[str(day) for _, _, day in far_days(text)] for text in told]
    [['2026-03-05'], ['0004-03-05'], [], ['0004-03-05'], ['2024-04-01'], []]
    """
    for start, end, *numbers in _numbers(text):
        day = day_of(*numbers)
        if day is not None:
            yield start, end, day


def _numbers(text: str) -> Iterator[tuple[int, int, int, int, int]]:
    """Where each begins and ends, its year, month and day, which need not exist."""
    for found in _NAMED.finditer(text):
        name = found["month"]
        month = FAR_MONTHS.get(name.casefold())
        if month is not None and (name[0].isupper() or name not in _CAPITAL):
            yield *found.span(), int(found["year"] or ANY_YEAR), month, int(found["day"])
    for found in _NUMBERED.finditer(text) if "tháng" in text else ():
        if found["year"] or _A_DAY.search(text, max(0, found.start() - _LONGEST_BEFORE), found.start()):
            yield *found.span(), int(found["year"] or ANY_YEAR), int(found["month"]), int(found["day"])
    for found in _HANGUL.finditer(text) if "월" in text else ():
        yield *found.span(), int(found["year"] or ANY_YEAR), int(found["month"]), int(found["day"])
    for found in _OF_AN_ERA.finditer(text) if "年" in text else ():
        if found["month"]:
            yield *found.span(), _year_of(found), int(found["month"]), int(found["day"])


def day_of(year: int, month: int, day: int) -> date | None:
    """That day, if it exists.

    >>> day_of(2026, 2, 28), day_of(2026, 2, 29)
    (datetime.date(2026, 2, 28), None)
    """
    try:
        return date(year, month, day)
    except ValueError:
        return None


def is_far(said: str) -> bool:
    """Whether the day that is `said` is one of those, or in Chinese characters."""
    return "年" in said or "月" in said or next(far_days(said), None) is not None


def far_years(text: str) -> Iterator[tuple[int, int, int]]:
    """Where the years begin and end that `text` tells in Japanese, Chinese or Thai, whatever their era, and which.

    >>> [[year for _, _, year in far_years(text)] for text in ("令和6年", "2024年に", "พ.ศ. 2566", "ค.ศ. 2023", "2566")]
    [[2024], [2024], [2023], [2023], []]
    """
    if "年" in text:
        yield from ((*found.span(), _year_of(found)) for found in _OF_AN_ERA.finditer(text))
        yield from ((*found.span(), int(found[0])) for found in _PLAIN_YEAR.finditer(text))
    for found in _THAI_YEAR.finditer(text) if ".ศ." in text else ():
        yield *found.span(), int(found["of"]) - _OF_BUDDHA * (found["era"] == "พ")


def _year_of(found: re.Match[str]) -> int:
    return _FIRST_YEARS[found["era"]] - 1 + (1 if found["of"] == "元" else int(found["of"]))
