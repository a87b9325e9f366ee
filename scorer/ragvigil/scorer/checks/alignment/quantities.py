"""Quantities: the numbers of a claim with what they measure, and the claim with a sign in the place of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import chain
from typing import NamedTuple

from ragvigil.scorer.checks.reading.expressions import CLOCK, SHARES, expressions
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.numerals import plain_digits, readings
from ragvigil.scorer.checks.reading.words import Word, offsets
from ragvigil.scorer.choices import longest_first

SIGN = "\ue000"
"""What stands for a number in `Claimed.skeleton`; of private use, so no text has it."""
COUNT, TIME, CALENDAR, RATIO = "count", "time", "calendar", "ratio"
_SECONDS = re.compile(r"\d{1,2}:\d\d:(\d\d)")
_NUMERAL = re.compile(r"\d+(?:[.,:'/]\d+)*")
_UNIT = re.compile(r"[^\s\u00a0]+(?:[ \u00a0]\d{3})*[ \u00a0]([^\W\d_]{2,})")
_SHARE = re.compile(rf"(?<!\w)(?:{longest_first(SHARES)})(?!\w)", re.IGNORECASE)
_AND_A_HALF = re.compile(r"\s(?:and a half|y media|e meia|e mezz[ao]|et demie?|en een half)\b")
_MINUTE = 60


class Amount(NamedTuple):
    """How much of something, as one reading has it."""

    kind: str
    """What is measured, as `expressions` call it; seconds of the day for a time, a day's number for a day."""
    much: float
    near: float
    """Half of the last place that is written, in the same unit."""


class Quantity(NamedTuple):
    """A number of a claim, with its unit."""

    start: int
    end: int
    amounts: tuple[Amount, ...]
    """All that it may stand for."""
    faces: tuple[Amount, ...]
    """The same as bare numbers, whatever the unit; empty where it is no single number."""
    unit: str
    """The word behind its number, in small letters; empty where there is none."""
    places: tuple[int, ...]
    """Which words of the claim it is."""


class Claimed(NamedTuple):
    """A claim as its quantities and what stands around them."""

    skeleton: str
    """In small letters, with SIGN in the place of each quantity."""
    quantities: list[Quantity]
    where: list[int]
    """Where in the skeleton each of their signs stands."""


def claimed(claim: Sequence[Word], text: str) -> Claimed:
    """The quantities of `text`, whose words are `claim`, in their order.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> text = "Four days cost 168 euros (4 x 42 euros)."
    >>> found = claimed(words(text), text)
    >>> found.skeleton.replace(SIGN, "#"), [one.amounts[0].much for one in found.quantities]
    ('# cost # euros (# x # euros).', [345600.0, 168.0, 4.0, 42.0])
    """
    found = sorted(chain(_measured(text), _bare(claim, text)), key=lambda one: (one.start, -one.end))
    kept: list[Quantity] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    spans = offsets(text)
    parts: list[str] = []
    where: list[int] = []
    end = size = 0
    for place, one in enumerate(kept):
        before = text[end : one.start].lower()
        where.append(size + len(before))
        parts += (before, SIGN)
        size, end = size + len(before) + 1, one.end
        within = tuple(at for at, (first, last) in enumerate(spans) if first < one.end and last > one.start)
        kept[place] = one._replace(places=within)
    return Claimed("".join((*parts, text[end:].lower())), kept, where)


def _measured(text: str) -> Iterator[Quantity]:
    """Measures, sums of money, days and times, and shares in words."""
    for one in expressions(text):
        said = plain_digits(text[one.start : one.end])
        told = _NUMERAL.findall(said) or [LEXICON.number_words.get(said.partition(" ")[0].casefold(), "")]
        faces = _faces(told[0]) if len(told) == 1 and told[0] else ()
        sizes = {face.much: face.near for face in faces}
        amounts = [_amount(kind, much, sizes, _seconds(said)) for kind, much in sorted(one.meanings, key=str)]
        half = _AND_A_HALF.match(text, one.end) if not told[1:] else None
        if half and faces:
            amounts = [each._replace(much=each.much + each.much / faces[0].much / 2) for each in amounts]
            faces = tuple(face._replace(much=face.much + 0.5) for face in faces)
        yield Quantity(
            one.start,
            half.end() if half and faces else one.end,
            tuple(amounts),
            faces,
            _unit(text, one.start),
            (),
        )
    for share in _SHARE.finditer(text):
        amount = Amount(RATIO, SHARES[share[0].casefold()], 5e-4)
        yield Quantity(*share.span(), (amount,), (), "", ())


def _amount(kind: str, much: float | date, faces: dict[float, float], seconds: int) -> Amount:
    if isinstance(much, date):
        return Amount(kind, float(much.toordinal()), 0.0)
    if kind == CLOCK:
        return Amount(kind, _MINUTE * much + seconds, 0.0)
    if len(faces) == 1:
        ((face, near),) = faces.items()
        return Amount(kind, much, near * much / face if face else 0.0)
    nearest = [each * much / face for face, each in faces.items() if face]
    return Amount(kind, much, min(nearest, default=0.0))


def _seconds(said: str) -> int:
    found = _SECONDS.match(said)
    return int(found[1]) if found else 0


def _unit(text: str, start: int) -> str:
    """The word behind the number that begins at `start`."""
    found = _UNIT.match(text, start)
    return found[1].lower() if found else ""


def _faces(numeral: str) -> tuple[Amount, ...]:
    """What a numeral may stand for, the likeliest first."""
    return _read(readings(numeral))


def _read(numbers: Sequence[str]) -> tuple[Amount, ...]:
    return tuple(
        Amount(COUNT, float(one), 0.5 * 10.0 ** -len(one.partition(".")[2]))
        for one in numbers
        if one.replace(".", "", 1).isdecimal()
    )


def _bare(claim: Sequence[Word], text: str) -> Iterator[Quantity]:
    """Numbers without a unit, in digits or words; a lone *one* counts nothing."""
    for place, (word, (start, end)) in enumerate(zip(claim, offsets(text), strict=True)):
        if not word.numbers or (word.numbers[0] == "1" and not text[start].isdigit()):
            continue
        faces = _read(word.numbers)
        if faces and "/" not in word.numbers[0] and ":" not in word.numbers[0]:
            yield Quantity(start, end, faces, faces, _unit(text, start), (place,))
