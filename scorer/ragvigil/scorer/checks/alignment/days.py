"""Days: dates and weekdays of a claim beside those of the evidence, and ranges of days that hold them."""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import MAXYEAR, MINYEAR, date
from itertools import islice, pairwise, product
from typing import NamedTuple

from ragvigil.scorer.checks.alignment.bounds import Bound, begins_or_ends, bound_of, excepts
from ragvigil.scorer.checks.alignment.hours import days_named
from ragvigil.scorer.checks.reading.days_afar import ANY_YEAR, FAR_MONTHS, is_far
from ragvigil.scorer.checks.reading.expressions import DAY, MONTHS, Expression, expressions, implied
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.weekdays import SHORT_DAYS, may_name_a_day
from ragvigil.scorer.checks.reading.words import UNSPACED, Word, stems_of
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.lazily import made_once

MONTH_STEMS = stems_of((*MONTHS, *FAR_MONTHS))
_A_SECTION = len("12.05.")
_THROUGH = r"(?:[-\u2013\u2014]|to|until|till|through|thru|bis|a|à|al|au|até|hasta|tot|t/m|do)"
_ALSO = r"(?:[,&]|and|or|und|oder|et|ou|y|o|e|i|en|of|lub)"
_NUMBER_BEFORE = re.compile(
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|º)?\s?(?P<joined>{_THROUGH}|{_ALSO})\s?(?:the\s)?\Z",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    rf"\s?(?P<joined>{_THROUGH}|{_ALSO})\s?(?:the\s)?(?P<day>\d{{1,2}})(?!\d|[.,:/]\d)", re.IGNORECASE
)
_THROUGH_ALONE = re.compile(_THROUGH, re.IGNORECASE)
_BETWEEN = re.compile(rf"\s?,?\s?(?:{_THROUGH}|and|und|et|y|e)\s?(?:the\s|le\s|al\s)?", re.IGNORECASE)
_ONE_WORD = rf"[{UNSPACED}]|[^\W\d_{UNSPACED}]+"
_WORD_BEFORE = re.compile(rf"({_ONE_WORD})[ \u00a0-]?\Z")
_WORD_BEHIND = re.compile(rf"[ \u00a0]?({_ONE_WORD})")
_LAST_DAY = date(ANY_YEAR, 12, 31)
_A_YEAR = 365
_NEAR = 30
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_WEEKDAY = re.compile(
    rf"(?<!\w)({longest_first(LEXICON.days)})(?:s|er)?(?!\w)",
    re.IGNORECASE,
)
_SHORT_STEMS = stems_of(SHORT_DAYS)
_WEEKDAY_STEMS = _SHORT_STEMS | stems_of((*LEXICON.days, "weekdays", "weekend"))
_COUNTING_STEMS = stems_of(name.removesuffix("-feira") for name in LEXICON.days if name.endswith("-feira"))
"""Those that other words have, too: a quarter as quarta-feira."""
_A_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_DAY_NAMES = frozenset(
    name.lower() + ending
    for name in (*LEXICON.days, "weekend", "week-end", "wochenende", "wochenenden")
    for ending in ("", "s", "er")
)
_WEEKEND = {5, 6}
_FEWEST_OF_A_RANGE = 3
"""Days; two that are named are two days."""
_FURTHER_DAYS = re.compile(
    r"\b(?:holidays?|other days|otherwise|sometimes|also|as well|too|feiertag\w*|auch|sonst|feriados?|também|también|"
    r"festivos?|fériés?|aussi|festivi|anche|feestdagen|ook|święta|także)\b",
    re.IGNORECASE,
)
"""What leaves room for days besides those of a range."""
_MOST_SENTENCES = 400


def tells_a_day(claim: Iterable[Word]) -> bool:
    """Whether a claim names a month, or a date with strokes: a quick first look.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> [tells_a_day(words(text)) for text in ("due on 3 March", "due on 28/02/2025", "3/4 of 20")]
    [True, True, False]
    """
    return any(word.stem in MONTH_STEMS or (word.numbers and word.stem.count("/") == 2) for word in claim)


def tells_a_weekday(claim: Sequence[Word], text: str) -> bool:
    """Whether a claim, the words of `text`, names a day of the week, in full or in short with a capital letter.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> texts = ("open on sundays", "open Mon and Tue", "it may do so", "in the last quarter")
    >>> [tells_a_weekday(words(text), text) for text in texts]
    [True, True, False, False]
    """
    stems = _WEEKDAY_STEMS.intersection([word.stem for word in claim])
    return bool(stems) and (
        may_name_a_day(claim, text)
        if stems <= _COUNTING_STEMS
        else any(word.stem in stems and (word.name or word.stem not in _SHORT_STEMS) for word in claim)
    )


def may_tell_another_day(claim: Sequence[Word], there: Set[str]) -> bool:
    """Whether `claim` tells a day and has a number that is none of `there`, the stems of a sentence."""
    return any(word.numbers and word.stem not in there for word in claim) and tells_a_day(claim)


def another_day(claim: str, sentence: str) -> bool:
    """Whether each side names exactly one day, and not the same, in whatever form; one may leave out the year.

    Of several days and of ranges nothing is said, nor where one side only bounds the time: "until", "since".

    >>> another_day("Due on 28/02/2025.", "Due on 27 February 2025."), another_day("Due 5/3/2025.", "Due 3 May 2025.")
    (True, False)
    >>> another_day("Open on 27 May.", "Open 27 to 28 May."), another_day("Open on 1 May.", "Open until 5 May.")
    (False, False)
    """
    found = _other_days(claim, sentence)
    if found is None:
        return False  # as nearly always
    one, other = found
    mine, theirs = implied(one.meanings), implied(other.meanings)
    if (mine == one.meanings) != (theirs == other.meanings) and not mine.isdisjoint(theirs):
        return False
    told = ((one, claim), (other, sentence))
    if any(is_far(text[day.start : day.end]) for day, text in told) and _beside(one, claim) != _beside(
        other, sentence
    ):
        return False
    return not leaves_room(claim, sentence) and not any(_is_one_of_several(day, text) for day, text in told)


def _beside(day: Expression, text: str) -> tuple[str, ...]:
    """The words, or characters of scripts without spaces, before and behind a day, in small letters.

    Of languages whose words for *until* and *since* nobody knows here, only days that stand between the same ones are
    compared.
    """
    before = _WORD_BEFORE.search(text, max(0, day.start - _NEAR), day.start)
    behind = _WORD_BEHIND.match(text, day.end)
    return tuple(one[1].casefold() if one else "" for one in (before, behind))


def leaves_room(claim: str, sentence: str, *, denied: bool = False) -> bool:
    """Whether the day of `sentence` may be as told and that of `claim` as well, though it is another one.

    So it is beside an exception, where one side bounds the time and the other does not or at its other end, by the
    next day ("before 5 May" is "by 4 May"), and where one side is `denied`: what is not so on 4 May may be so on 3 May.

    >>> leaves_room("Valid on 3 May.", "Valid until 5 May."), leaves_room("Valid on 3 May.", "Valid on 5 May.")
    (True, False)
    >>> leaves_room("Apply by 4 May.", "Apply before 5 May."), leaves_room("Apply by 4 May.", "Apply before 7 May.")
    (True, False)
    """
    if excepts(claim, sentence):
        return True
    found = _other_days(claim, sentence)
    if found is None:
        return False  # as nearly always
    one, other = found
    mine, theirs = bound_of(claim, one.start), bound_of(sentence, other.start)
    if denied or mine != theirs:
        return True
    return mine is not None and any(
        abs((day - another).days) == 1 for day, another in product(_dates(one), _dates(other))
    )


def _other_days(claim: str, sentence: str) -> tuple[Expression, Expression] | None:
    """The one day that each side tells where it is not the same; the sentence is read only where the claim has one."""
    one = _days_in(claim)
    other = _days_in(sentence) if len(one) == 1 else []
    if len(other) != 1 or not one[0].meanings.isdisjoint(other[0].meanings):
        return None
    return one[0], other[0]


def another_weekday(claim: str, sentence: str) -> bool:
    """Whether each side names exactly one day of the week, and not the same; where one side bounds the time, nothing.

    Nor may it be a day, or the weekend, that is not of the one range that the sentence names.

    >>> another_weekday("Closed on Monday.", "Closed on Tuesdays."), another_weekday("On Friday.", "Until Sunday.")
    (True, False)
    >>> another_weekday("Open on Sunday.", "Open Monday to Friday."), another_weekday("On Friday.", "Monday to Friday.")
    (True, False)
    """
    if _DAY_NAMES.isdisjoint(_A_WORD.findall(claim.lower())) or excepts(claim, sentence):
        return False  # as mostly
    if _is_outside(claim, sentence):
        return True
    told: list[tuple[int, Bound | None]] = []
    for text in (claim, sentence):
        named = [(LEXICON.days.get(day[1].casefold()), day.start()) for day in _WEEKDAY.finditer(text)]
        day, start = named[0] if named else (None, 0)
        if day is None or any(other != day for other, _ in named):
            return False
        told.append((day, bound_of(text, start)))
    (mine, bound), (theirs, others_bound) = told
    return mine != theirs and bound == others_bound


def _is_outside(claim: str, sentence: str) -> bool:
    """Whether the one day that `claim` names, or the weekend, is none of the one range of days in `sentence`."""
    if _FURTHER_DAYS.search(sentence):
        return False
    theirs = days_named(sentence)
    if len(theirs) != 1 or len(theirs[0][1]) < _FEWEST_OF_A_RANGE or not _THROUGH_ALONE.search(sentence):
        return False
    mine = days_named(claim)
    if len(mine) != 1 or len(mine[0][1]) > len(_WEEKEND) or not mine[0][1].isdisjoint(theirs[0][1]):
        return False
    return len(mine[0][1]) == 1 or mine[0][1] == _WEEKEND


class Ranges:
    """The ranges of days in the sentences of the evidence, read once, when first asked for."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments

    def holding(self, claim: str) -> list[tuple[int, int]]:
        """Where `claim` names a day that lies within one of them, ends included.

        A day with which the claim says when something begins or ends has to be that of the evidence.

        >>> from ragvigil.scorer.checks.reading.evidence import Evidence
        >>> from ragvigil.scorer.trace import Document
        >>> ranges = Ranges(Evidence([Document("a", "It is open from 27/02/2025 to 02/03/2025.")]).segments)
        >>> ranges.holding("It is open on 28 February 2025."), ranges.holding("It is open on 28 February 2024.")
        ([(14, 30)], [])
        """
        told = _days_in(claim)
        ends = {
            day
            for one, other in pairwise(told)
            if _BETWEEN.fullmatch(claim, one.end, other.start)
            for day in (one, other)
        }
        return [
            (one.start, one.end)
            for one in told
            if one not in ends
            and bound_of(claim, one.start) is None
            and not begins_or_ends(claim, one.start)
            and not _is_one_of_several(one, claim)
            and any(found.holds(day) for day in _dates(one) for found in self._found)
        ]

    @made_once
    def _found(self) -> Set[_Range]:
        return {
            found
            for segment in islice(self._segments, _MOST_SENTENCES)
            if segment.span is not None
            for found in _ranges(segment.sentence)
        }


class _Range(NamedTuple):
    """A range of days, of any year or of one."""

    first: date
    last: date
    of_any_year: bool
    """Whether no year is told with it."""

    def holds(self, day: date) -> bool:
        """Whether `day` lies within; beside a year that is told on one side only, the day of any year does."""
        if day.year != ANY_YEAR and self.of_any_year:
            day = day.replace(year=ANY_YEAR)
        return self.first <= day <= self.last


def _ranges(sentence: str) -> Iterator[_Range]:
    """Each range of days; one with years also without them, for claims that tell none."""
    if not any(map(str.isdigit, sentence)):
        return
    days = _days_in(sentence)
    for one, other in pairwise(days):
        if _BETWEEN.fullmatch(sentence, one.end, other.start):
            for first, last in product(_dates(one), _dates(other)):
                yield from _between(*_in_one_era(first, last))
    for one in days:
        before = _NUMBER_BEFORE.search(sentence, max(0, one.start - _NEAR), one.start)
        behind = _GOES_ON.match(sentence, one.end)
        for day in _dates(one):
            if before and _THROUGH_ALONE.fullmatch(before["joined"]) and 0 < int(before["day"]) <= day.day:
                yield from _between(day.replace(day=int(before["day"])), day)
            if behind and _THROUGH_ALONE.fullmatch(behind["joined"]):
                until = int(behind["day"])
                if day.day <= until <= _DAYS[day.month - 1]:
                    yield from _between(day, day.replace(day=until))


def _between(first: date, last: date) -> Iterator[_Range]:
    """The days from `first` to `last`, and the same of any year; these may go over the end of a year."""
    if first.year != ANY_YEAR:
        yield _Range(first, last, of_any_year=False)
    if (last - first).days >= _A_YEAR:
        return
    told = first.year == ANY_YEAR
    first, last = first.replace(year=ANY_YEAR), last.replace(year=ANY_YEAR)
    if first <= last:
        yield _Range(first, last, told)
    else:
        yield _Range(first, _LAST_DAY, told)
        yield _Range(_LAST_DAY.replace(month=1, day=1), last, told)


def _in_one_era(first: date, last: date) -> tuple[date, date]:
    """Both, the one without a year in that of the other, or in the one beside it where else the last would be first."""
    if first.year == ANY_YEAR != last.year:
        year = last.year - ((first.month, first.day) > (last.month, last.day))
        return (first.replace(year=year) if _exists(first, year) else first), last
    if last.year == ANY_YEAR != first.year:
        year = first.year + ((first.month, first.day) > (last.month, last.day))
        return first, (last.replace(year=year) if _exists(last, year) else last)
    return first, last


def _exists(day: date, year: int) -> bool:
    return MINYEAR <= year <= MAXYEAR and ((day.month, day.day) != (2, 29) or isleap(year))


def _dates(one: Expression) -> list[date]:
    return sorted(day for _, day in one.meanings if isinstance(day, date))


def _is_one_of_several(day: Expression, text: str) -> bool:
    """Whether other days stand beside it of which only numbers are told: 27 and 28 February."""
    before = _NUMBER_BEFORE.search(text, max(0, day.start - _NEAR), day.start)
    return before is not None or _GOES_ON.match(text, day.end) is not None


def _days_in(text: str) -> list[Expression]:
    """The days that `text` tells; 12.05 by itself may as well be a section."""
    return [one for one in expressions(text, (DAY,)) if not _is_a_section(text[one.start : one.end])]


def _is_a_section(said: str) -> bool:
    return said.isascii() and len(said) <= _A_SECTION and not any(map(str.isalpha, said))
