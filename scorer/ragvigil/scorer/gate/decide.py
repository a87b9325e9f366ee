"""Whether a figure keeps its limit: by the end of its interval, and with how many answers it could."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragvigil.scorer.estimate import FEWEST, observations_for
from ragvigil.scorer.estimate.figure import CONFIDENCE, Figure, quantile_needs
from ragvigil.scorer.gate.names import KEYS, Kind
from ragvigil.scorer.gate.settings import Limit

State = Literal["holds", "fails", "not_shown", "not_enough_data"]
"""`not_shown`: the interval holds the limit. Only `holds` lets a gate hold."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What comes of one limit."""

    state: State
    said: str
    """Why it does not hold, and what would help; empty where it holds."""


def decide(figure: Figure, limit: Limit, kind: Kind) -> Decision:
    """Whether the end of the interval of `figure` keeps `limit`; one that cannot be kept by so few is no failure."""
    if figure.value is None or figure.lower is None or figure.upper is None:
        known = figure.n >= FEWEST and figure.note
        return Decision("not_enough_data", figure.note if known else _few(figure, limit, kind))
    if limit.at_least is not None:
        wanted, end, other, right = limit.at_least, figure.lower, figure.upper, figure.value > limit.at_least
        holds, surely = end >= wanted, other < wanted
    else:
        wanted, end, other = limit.at_most or 0.0, figure.upper, figure.lower
        holds, surely, right = end <= wanted, other > wanted, figure.value < wanted
    if surely:
        return Decision("fails", "the whole interval is beyond the limit")
    if figure.n < needs(limit, kind):
        return Decision("not_enough_data", _few(figure, limit, kind))
    if holds:
        return Decision("holds", "")
    return Decision("not_shown", _more(figure, figure.value, wanted, kind, right=right))


def _few(figure: Figure, limit: Limit, kind: Kind) -> str:
    needed = needs(limit, kind)
    if not figure.n and figure.name in KEYS:
        return f"no row has {figure.name}, at least {needed:,} are needed"
    best = ", all of them right" if kind == "share" and needed > FEWEST else ""
    answers = "answer" if figure.n == 1 else "answers"
    return f"{figure.n:,} {answers}, at least {needed:,} are needed{best}"


def needs(limit: Limit, kind: Kind) -> int:
    """Answers with which the limit can be kept at all.

    >>> needs(Limit(at_most=0.02), "share"), needs(Limit(at_least=0.85), "share"), needs(Limit(at_most=2), "quantile")
    (189, 22, 110)
    """
    if kind == "quantile":
        return quantile_needs(limit.quantile)
    if kind != "share":
        return FEWEST
    best, wanted = (1.0, limit.at_least) if limit.at_least is not None else (0.0, limit.at_most or 0.0)
    return max(FEWEST, observations_for(best, wanted, confidence=CONFIDENCE) or FEWEST)


def _more(figure: Figure, value: float, wanted: float, kind: Kind, *, right: bool) -> str:
    if not right:
        return "the value itself is beyond the limit, though no further than its interval reaches"
    kept = "the value keeps the limit, its interval does not"
    if figure.bounds is not None:
        return f"{kept}: the verdicts that never came would tell"
    if kind != "share":
        return f"{kept}: more answers would tell"
    enough = observations_for(value, wanted, confidence=CONFIDENCE) or 0
    if enough <= figure.n:
        return f"{kept}: answers of more conversations would tell"
    return f"{kept}: about {enough:,} answers like these would show it"
