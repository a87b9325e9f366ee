"""Reckoning: what it is that a claim works out a number, and how that is compared with what the others come to.

Only what the claim shows counts: the numbers stand in it, and words or signs tell what is done with them, as in
"4 x 42 euros", "42 euros plus 9 euros", "from 480 to 540, up 12.5 %" or "24 months, that is two years".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ragvigil.scorer.checks.alignment.quantities import (
    CALENDAR,
    COUNT,
    RATIO,
    TIME,
    Claimed,
    Quantity,
)
from ragvigil.scorer.checks.reading.expressions import CLOCK, DAY
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data

DATA: Any = read_data("reckoning.json")
"""The words by which a claim shows what it works out."""
A_DAY = 86_400.0
"""Seconds."""
_YEARS, _MONTHS, _NEARLY = frozenset(range(1500, 2101)), 12, 0.05
_EXACTLY = 1e-6
Value = tuple[str, float, bool]
"""What comes out: of which kind, how much, and whether it may be rounded as it is written."""


def one_of(*names: str) -> str:
    words: Iterable[str] = (word for name in names for word in DATA[name])
    return rf"(?:{longest_first(words)})"


THAT_IS = rf"(?:=|\b{one_of('that_is')}(?!\w))"
MORE = rf"\b{one_of('more')}\b"
AGAINST = rf"\b{one_of('against')}\s(?:\w{{1,5}}\s){{0,2}}"
PER = rf"(?:\s?/\s?|\s{one_of('per')}\s(?:\w{{1,3}}\s)?)"
_ABOUT = re.compile(rf"(?<!\w){one_of('about')}\s?\Z")


class Reckoned(NamedTuple):
    """A number that a claim works out of others that it tells."""

    result: Quantity
    of: tuple[Quantity, ...]
    right: bool
    """Whether it is what they come to, as exactly as it is written."""
    shown: bool
    """Whether the claim shows how, so that another number is wrong."""
    rate: bool = False
    """Whether it is worked out of what something is for another time."""


def given_of(said: Claimed, found: re.Match[str], *names: str) -> list[Quantity]:
    return [said.quantities[said.where.index(found.start(name))] for name in names]


def compared(
    said: Claimed,
    result: Quantity,
    of: Sequence[Quantity],
    values: Iterable[Value],
    *,
    shown: bool,
    rate: bool = False,
) -> Iterator[Reckoned]:
    """The comparison with `values`: by kind what comes out, and whether it may be rounded as it is written.

    Nothing where no value is of a kind of the result.
    """
    about = _ABOUT.search(said.skeleton[: said.where[said.quantities.index(result)]]) is not None
    seen = False
    for kind, value, rounded in values:
        for told in (*result.amounts, *(result.faces if kind == COUNT else ())):
            if told.kind != kind:
                continue
            seen = True
            near = max(_NEARLY * abs(value) if about else 0.0, told.near if rounded else 0.0)
            if abs(told.much - value) <= near + _EXACTLY * abs(value):
                yield Reckoned(result, tuple(of), True, shown, rate)
                return
    if seen:
        yield Reckoned(result, tuple(of), False, shown, rate)


def pairs(one: Quantity, other: Quantity) -> Iterator[tuple[str, float, float]]:
    """What both measure, in the same unit; bare numbers where one of them is no more."""
    for mine in one.amounts:
        for theirs in other.amounts:
            if mine.kind == theirs.kind:
                yield mine.kind, mine.much, theirs.much
    if _is_bare(one) != _is_bare(other):
        for mine in one.faces:
            for theirs in other.faces:
                yield COUNT, mine.much, theirs.much


def _is_bare(one: Quantity) -> bool:
    return one.amounts == one.faces


def is_year(one: Quantity) -> bool:
    return any(face.much in _YEARS for face in one.faces) and _is_bare(one)


def apart(one: Quantity, other: Quantity) -> Iterator[Value]:
    """How far apart two amounts are, and that in parts of the first."""
    for kind, a, b in pairs(one, other):
        if kind == CLOCK:
            yield TIME, (b - a) % A_DAY, False
        elif kind == DAY:
            yield TIME, abs(b - a) * A_DAY, False
        elif kind == COUNT and is_year(one) and is_year(other):
            yield CALENDAR, _MONTHS * abs(b - a), False
        else:
            yield kind, abs(b - a), False
            if a:
                yield RATIO, abs(b - a) / a, True


def kinds(one: Quantity) -> set[str]:
    return {amount.kind for amount in one.amounts}
