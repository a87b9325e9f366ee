"""Bands, red flags, and what a report refuses or warns of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ragvigil.scorer.estimate.figure import Figure
from ragvigil.scorer.reporting.level import NAME as LEVEL

Band = Literal["excellent", "good", "needs work"]

LIMITS: Mapping[str, tuple[float, float]] = {
    "faithfulness": (0.9, 0.8),
    "answer relevance": (0.8, 0.7),
    "context relevance": (0.8, 0.7),
    "context precision": (0.7, 0.5),
    "context recall": (0.9, 0.8),
}
"""Above the first: excellent; above the second: good. They are set for what a judge measures."""
BY_WORDS = " by words"
"""How the names of what words tell end; the limits say nothing of it."""
_RANK: tuple[Band, ...] = ("needs work", "good", "excellent")
_RETRIEVAL = ("context relevance", "context precision", "context recall")
_GENERATION = ("faithfulness", "answer relevance")


@dataclass(frozen=True, slots=True)
class Banded:
    """One measure against its limits."""

    name: str
    figure: Figure | None
    band: Band | None
    """By the value; None where it is not measured, or by words alone."""
    surely: Band | None
    """By the lower end of the interval: at least this."""


@dataclass(frozen=True, slots=True)
class Overall:
    """The lowest band of all that is measured, or why there is none."""

    band: Band | None
    surely: Band | None
    why: str


def banded(figures: Mapping[str, Figure]) -> tuple[Banded, ...]:
    """Each measure of `LIMITS`, in its order: the band of its value, and of its lower bound.

    >>> banded({"faithfulness": Figure("faithfulness", 0.92, 0.85, 0.96, 300)})[0].surely
    'good'
    """
    found: list[Banded] = []
    for name in LIMITS:
        figure = figures.get(name)
        if figure is None or figure.value is None or figure.lower is None or figure.name.endswith(BY_WORDS):
            found.append(Banded(name, figure, None, None))
        else:
            found.append(Banded(name, figure, _band(name, figure.value), _band(name, figure.lower)))
    return tuple(found)


def overall(found: tuple[Banded, ...], flags: tuple[str, ...] = ()) -> Overall:
    """The lowest of them, less where red flags stand; refused where retrieval or generation has no band at all."""
    known = {one.name: one for one in found if one.band is not None}
    for half, names in (("retrieval", _RETRIEVAL), ("generation", _GENERATION)):
        if not any(name in known for name in names):
            return Overall(None, None, _refusal(half, [one for one in found if one.name in names]))
    missing = [one.name for one in found if one.band is None]
    why = f"the lowest of {len(known)} measures" + (
        f"; not measured: {', '.join(missing)}" if missing else ""
    )
    bands: list[Band] = [one.band for one in known.values() if one.band]
    sure: list[Band] = [one.surely for one in known.values() if one.surely]
    lowest = min(bands, key=_RANK.index)
    if flags and lowest != _RANK[0]:
        return Overall(_RANK[0], _RANK[0], f"for a red flag stands; {lowest} would be {why}")
    return Overall(lowest, min(sure, key=_RANK.index), why)


def _refusal(half: str, found: Sequence[Banded]) -> str:
    """Why there is no overall band without this half."""
    if any(one.figure is not None and one.figure.value is not None for one in found):
        return (
            f"REFUSED: {half} is measured by words alone, and the limits are set for what a judge measures "
            "(judge.measures)"
        )
    return f"REFUSED: nothing measures {half}, and one number without it says nothing to mend"


def red_flags(figures: Mapping[str, Figure]) -> tuple[str, ...]:
    """What lies surely on the wrong side (its whole interval): groundedness .8, hallucinations 5 %, attribution .9.

    The judge's uncorrected pass rate raises none: a good judge passes .81 where .95 are faithful.
    """
    found: list[str] = []
    level, citations = figures.get(LEVEL), figures.get("citation correctness")
    if level is not None and level.upper is not None:
        if level.upper < 0.5:
            found.append("less than half of the answers are faithful: a serious incident")
        elif level.upper < 0.8:
            found.append("less than 0.8 of the answers are faithful")
    if citations is not None and citations.upper is not None and citations.upper < 0.9:
        found.append("citation correctness is below 0.9")
    tagged = figures.get("HALLUCINATION_FACT")
    if tagged is not None and tagged.lower is not None and tagged.lower > 0.05:
        found.append("more than 5 % of the answers carry HALLUCINATION_FACT")
    return tuple(found)


def _band(name: str, value: float) -> Band:
    excellent, good = LIMITS[name]
    return "excellent" if value > excellent else "good" if value > good else "needs work"
