"""Periods: changes, times between two others, rates for another time and units that a claim converts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ragvigil.scorer.checks.alignment.quantities import COUNT, RATIO, SIGN, TIME, Claimed, Quantity
from ragvigil.scorer.checks.alignment.reckoning import (
    A_DAY,
    DATA,
    PER,
    THAT_IS,
    Reckoned,
    apart,
    compared,
    given_of,
    is_year,
    kinds,
    one_of,
)
from ragvigil.scorer.checks.reading.expressions import CLOCK, DAY
from ragvigil.scorer.choices import longest_first

_PERIODS: dict[str, str] = {word: name for name, words in DATA["periods"].items() for word in words}
_PERIOD = rf"(?:{longest_first(_PERIODS)})"
_A_DAY_IS = rf"(?:{'|'.join(DATA['periods']['day'])})"
_RANGE = (
    rf"\b(?:{one_of('from')}|(?P<span>{one_of('between')}))\s(?:\w{{1,4}}\s)?(?P<a>{SIGN})"
    rf"[^{SIGN}]{{0,22}}?\s?{one_of('to')}\s?(?:\w{{1,4}}\s)?(?P<b>{SIGN})"
)
_CHANGE = (
    re.compile(rf"{_RANGE}(?P<gap>[^{SIGN}]{{0,60}}?)(?P<r>{SIGN})"),
    re.compile(rf"(?P<r>{SIGN})(?P<gap>[^{SIGN}]{{0,45}}?(?:{SIGN}[^{SIGN}]{{0,12}}?)?){_RANGE}"),
)
_TELLS_CHANGE = re.compile(rf"\b{one_of('changed', 'more')}\b|{THAT_IS}")
_A_DAY = re.compile(rf"(?:{PER}{_A_DAY_IS})?[,:(\s]*")
_BY_PERIOD: dict[str, str] = {
    word: name
    for name, words in DATA["by_period"].items()
    for one in words
    for word in (one, f"{one}s", f"{one}es")
}
_RATE = re.compile(
    rf"(?P<a>{SIGN})(?:\s\w{{1,20}})?(?:{PER}(?P<one>{_PERIOD})|\s(?P<by>{longest_first(_BY_PERIOD)}))(?!\w)[^{SIGN}.;]{{0,6}}?(?:{THAT_IS}|\()[^{SIGN}.;]{{0,12}}?(?P<r>{SIGN})(?:\s\w{{1,20}})?"
    rf"{PER}(?P<other>{_PERIOD})\b"
)
_EACH = re.compile(
    rf"(?P<a>{SIGN})(?:\s\w{{1,20}})?{PER}(?P<one>{_PERIOD})\b[^{SIGN}.;]{{0,6}}?{THAT_IS}[^{SIGN}.;]{{0,20}}?\b(?P<other>{_PERIOD})\b"
    rf"[^{SIGN}.;]{{0,25}}?(?P<r>{SIGN})"
)
_OFTEN = re.compile(
    rf"\b{one_of('every')}\s(?P<a>{SIGN})[^{SIGN}.;]{{0,12}}?{THAT_IS}[^{SIGN}.;]{{0,20}}?(?P<r>{SIGN})\s{one_of('times')}{PER}(?P<one>{_PERIOD})\b"
)
_SAME = re.compile(
    rf"(?P<a>{SIGN})(?:\s?,?\s?{THAT_IS}\s?,?\s(?:\w{{1,8}}\s)?(?P<r>{SIGN})|\s?\((?P<in>{SIGN})\))"
)
_THEN = re.compile(
    rf"(?P<a>{SIGN})[^{SIGN}]{{0,60}}?(?P<b>{SIGN})[^{SIGN}]{{0,60}}?(?P<r>{SIGN})[^{SIGN}]*\Z"
)
_HOW_MANY = {(great, small): float(many) for great, small, many in DATA["how_many"]}
_LENGTHS = {"minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0}
_BESIDE = 25


def _changes(said: Claimed) -> Iterator[Reckoned]:
    """From 480 to 540, up 12.5 %; from 8:00 to 20:00, that is 12 hours."""
    for pattern in _CHANGE:
        for found in pattern.finditer(said.skeleton):
            result, one, other = given_of(said, found, "r", "a", "b")
            values = list(apart(one, other))
            timed = any(one.kind in (CLOCK, DAY) for one in one.amounts) or is_year(one)
            if SIGN in found["gap"] and not is_year(said.quantities[said.quantities.index(result) + 1]):
                continue
            if (found["span"] and not timed) or _takes_days(result):
                continue  # between 4 and 5 % is no change, and open from 9 to 5 on seven days neither
            before = said.skeleton[max(0, found.start("r") - _BESIDE) : found.start("r")]
            shown = _TELLS_CHANGE.search(found["gap"]) or (
                _A_DAY.fullmatch(found["gap"]) if timed else _TELLS_CHANGE.search(before)
            )
            if shown or timed:
                yield from compared(said, result, (one, other), values, shown=bool(shown))


def _takes_days(one: Quantity) -> bool:
    return any(amount.kind == TIME and amount.much >= A_DAY for amount in one.amounts)


def _between(said: Claimed) -> Iterator[Reckoned]:
    """43 seconds: it began at 14:02:15 and ended at 14:02:58."""
    times = [one for one in said.quantities if TIME in kinds(one)]
    ends = [one for one in said.quantities if not kinds(one).isdisjoint((CLOCK, DAY))]
    if len(times) == 1 and len(ends) == 2:
        yield from compared(said, times[0], ends, apart(*ends), shown=False)


def _rates(said: Claimed) -> Iterator[Reckoned]:
    """11 euros a month, that is 132 euros a year."""
    for found in _RATE.finditer(said.skeleton):
        one = _PERIODS[found["one"]] if found["one"] else _BY_PERIOD[found["by"]]
        other = _PERIODS[found["other"]]
        many = _HOW_MANY.get((other, one)) or 1 / _HOW_MANY.get((one, other), 1.0)
        if one == other or many == 1:
            continue
        result, given = given_of(said, found, "r", "a")
        values = [(amount.kind, many * amount.much, many < 1) for amount in given.amounts]
        values += [(COUNT, many * face.much, many < 1) for face in given.faces if RATIO not in kinds(given)]
        yield from compared(said, result, (given,), values, shown=True, rate=True)


def _each(said: Claimed) -> Iterator[Reckoned]:
    """6 euros a day, so a week costs 42 euros."""
    for found in _EACH.finditer(said.skeleton):
        one, other = _PERIODS[found["one"]], _PERIODS[found["other"]]
        many = _HOW_MANY.get((other, one))
        if many:
            result, given = given_of(said, found, "r", "a")
            values = [(amount.kind, many * amount.much, False) for amount in given.amounts]
            yield from compared(said, result, (given,), values, shown=True, rate=True)


def _often(said: Claimed) -> Iterator[Reckoned]:
    """Every 6 hours, so 4 times a day."""
    for found in _OFTEN.finditer(said.skeleton):
        result, given = given_of(said, found, "r", "a")
        whole = _LENGTHS.get(_PERIODS[found["one"]])
        if whole:
            values = [
                (COUNT, whole / one.much, True) for one in given.amounts if one.kind == TIME and one.much
            ]
            yield from compared(said, result, (given,), values, shown=True)


def _conversions(said: Claimed) -> Iterator[Reckoned]:
    """24 months, that is two years; 6 hours (360 minutes)."""
    for found in _SAME.finditer(said.skeleton):
        given, result = given_of(said, found, "a", "r" if found["r"] else "in")
        if (
            kinds(given) & {COUNT, CLOCK, DAY, RATIO}
            or kinds(result) & {CLOCK}
            or any("sum" in kind for kind in kinds(given))
        ):
            continue
        if not _measures_otherwise(given, result):
            continue
        values = [(one.kind, one.much, True) for one in given.amounts]
        yield from compared(said, result, (given,), values, shown=True)


def _measures_otherwise(one: Quantity, other: Quantity) -> bool:
    """Whether the two are told in different units: 12 euros (9 euros) converts nothing."""
    sizes = [
        {round(amount.much / face.much, 9) for amount in each.amounts for face in each.faces if face.much}
        for each in (one, other)
    ]
    return not (sizes[0] and sizes[1]) or sizes[0].isdisjoint(sizes[1])


def _clocks(said: Claimed) -> Iterator[Reckoned]:
    """At 14:00 at the earliest, if it was 8:00 before: at least 6 hours lie between."""
    times = [one for one in said.quantities if TIME in kinds(one)]
    clocks = [one for one in said.quantities if CLOCK in kinds(one)]
    if len(times) != 1 or len(clocks) != 2:
        return
    for result, other in (clocks, reversed(clocks)):
        values = [
            (CLOCK, (at.much + sign * time.much) % A_DAY, False)
            for at in other.amounts
            for time in times[0].amounts
            for sign in (1, -1)
            if (at.kind, time.kind) == (CLOCK, TIME)
        ]
        yield from compared(said, result, (other, times[0]), values, shown=False)


def _thens(said: Claimed) -> Iterator[Reckoned]:
    """It begins at 11:15 and takes 75 minutes, so it ends at 12:30."""
    for found in _THEN.finditer(said.skeleton):
        result, one, other = given_of(said, found, "r", "a", "b")
        times = [amount.much for amount in other.amounts if amount.kind == TIME]
        clocks = [amount.much for amount in one.amounts if amount.kind == CLOCK]
        days = [amount.much for amount in one.amounts if amount.kind == DAY]
        values = [(CLOCK, (at + time) % A_DAY, False) for at in clocks for time in times]
        values += [(DAY, at + time / A_DAY, False) for at in days for time in times]
        yield from compared(said, result, (one, other), values, shown=False)


PERIODS: tuple[Callable[[Claimed], Iterator[Reckoned]], ...] = (
    *(_changes, _between, _rates, _each, _often, _conversions, _clocks, _thens),
)
"""What finds them."""
