"""What the parts of a sentence tell: each its number, what that counts, and what it is told of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ragvigil.scorer.checks.alignment.swaps import UNIT_STEMS, UNITS
from ragvigil.scorer.checks.reading.expressions import CURRENCIES, CURRENCY_SIGNS
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word, offsets, stems_of, words

_BETWEEN = re.compile(
    r"[,;](?!\d)|\((?![\d$€£¥\s])|[.!?]\s|\s[\u2013\u2014-]\s"
    r"|\s(?:and|but|while|whereas|versus|vs\.?|or|und|aber|während|oder|y|pero|mientras|e|mas|enquanto|ou|et|mais|tandis|ma|"
    r"mentre|en(?=\s(?:een|de|het|voor|bij|op)\s)|maar|oraz|i)\s",
    re.IGNORECASE,
)
"""Between the parts of a sentence that tell each its own number."""
_OPENS = re.compile(
    r"(?:from|for|in|on|with|by|after|at|under|during|since|ab|bei|mit|für|im|nach|beim|desde|para|en|con|por|pour|avec|dans|à|em|com|"
    r"no|na)(?:\s[^\s,.;:]+){1,7},(?=\s)",
    re.IGNORECASE,
)
"""What opens a sentence and belongs to the part behind it: "From the fifth year on, you have 28 days"."""
_SUM, SHARE = "sum", "%"
SIGNED = (_SUM, SHARE)
"""What a sign beside a number tells, with or without a word."""
KINDS = {
    **{word.stem: kind for name, (kind, _) in UNITS.items() for word in words(name)},
    **{word.stem: _SUM for name in CURRENCIES for word in words(name)},
}
"""For the stem of a unit what it measures."""
UNIT_KINDS = frozenset((*KINDS.values(), SHARE))
_POINTING = FRAME_STEMS | stems_of(("one", "ones"))
"""Words that stand for what is told before."""
MOST_PARTS, _MOST_PIECES, _LONGEST = 12, 24, 1000


class Part(NamedTuple):
    """What one part tells."""

    said: str
    place: tuple[int, int]
    """In which sentence it stands, and as which of its parts."""
    numbers: tuple[str, ...]
    """The values that its only number may stand for."""
    kind: str
    """What that counts or measures: a sum, a share, a time, or the word behind it."""
    unit: str
    """The stem of the unit behind it, where no sign tells it; else empty."""
    stems: frozenset[str]
    """Of what is told of it, units aside."""
    apart: frozenset[str]
    """Those, and units that count nothing there: by day, by night."""


@lru_cache(maxsize=1 << 8)
def told_parts(text: str) -> Sequence[Part]:
    """The parts of `text` that tell one number of its kind each; none where it is long, or these are too many."""
    if (opening := _OPENS.match(text)) and not any(word.numbers for word in words(opening[0])):
        text = f"{opening[0][:-1]}{text[opening.end() :]}"
    pieces = _BETWEEN.split(text, _MOST_PIECES) if len(text) <= _LONGEST else ()
    found: list[Part] = []
    for at, said in enumerate(pieces if len(pieces) <= _MOST_PIECES else ()):
        told = words(said)
        if not any(word.numbers for word in told):
            continue
        where = offsets(said)
        kinds = {
            place: kind
            for place, word in enumerate(told)
            if word.numbers and (kind := _kind(said, told, place, where[place]))
        }
        stems, apart = _stems(told)
        units = {place: "" if kind in SIGNED else _unit(told, place) for place, kind in kinds.items()}
        counts = Counter((kind, units[place]) for place, kind in kinds.items())
        found += [
            Part(said, (0, at), told[place].numbers, kind, units[place], stems | _others(told, place), apart)
            for place, kind in kinds.items()
            if counts[kind, units[place]] == 1
        ]
    return tuple(found) if len(found) <= MOST_PARTS else ()


def _stems(told: Sequence[Word]) -> tuple[frozenset[str], frozenset[str]]:
    """What a part is about: its meaningful words and names, without units; and with those that count nothing."""
    telling = {
        word.stem
        for place, word in enumerate(told)
        if (word.content or (word.name and place)) and not word.numbers
    } - _POINTING
    idle = {word.stem for before, word in pairwise(told) if word.stem in UNIT_STEMS and not before.numbers}
    return frozenset(telling - UNIT_STEMS), frozenset(telling - UNIT_STEMS | idle)


def _unit(told: Sequence[Word], place: int) -> str:
    """The stem behind a number where that is a unit: days and years are counted apart."""
    after = told[place + 1].stem if place + 1 < len(told) else ""
    return after if after in UNIT_STEMS else ""


def _others(told: Sequence[Word], place: int) -> set[str]:
    """The numbers beside the one at `place`, which tell it apart as words do: from 60 minutes on 25 %."""
    return {f"#{word.numbers[0]}" for at, word in enumerate(told) if word.numbers and at != place}


def _kind(said: str, told: Sequence[Word], place: int, span: tuple[int, int]) -> str | None:
    """What the number at `place` of `told`, the words of `said`, counts; None where nothing says so, as of a year."""
    before, behind = said[: span[0]].rstrip()[-1:], said[span[1] :].lstrip()[:1]
    if before in CURRENCY_SIGNS or behind in CURRENCY_SIGNS:
        return _SUM
    if behind == SHARE:
        return SHARE
    following = told[place + 1] if place + 1 < len(told) else None
    if following is None or following.numbers or not (following.content or following.stem in UNIT_STEMS):
        return None
    return KINDS.get(following.stem, following.stem)
