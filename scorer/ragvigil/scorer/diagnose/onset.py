"""When the fall of a set of records began: the likeliest moment, and the moments that are nearly as likely."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.diagnose.evidence import Evidence
from ragvigil.scorer.diagnose.gain import gain_curve
from ragvigil.scorer.diagnose.views import View
from ragvigil.scorer.estimate.window import Booleans, Floats

CONFIDENCE = 0.95
_MOMENTS = 400


def _nats(confidence: float) -> float:
    return -math.log(1.0 - math.sqrt(confidence))


SURELY = _nats(CONFIDENCE)
"""Nats by which a moment may be less likely than the best one and lie in the interval."""


@dataclass(frozen=True, slots=True)
class Onset:
    """A change point with its interval, Unix seconds."""

    at: float
    lower: float
    upper: float
    confidence: float = CONFIDENCE


def onset_of(
    views: tuple[View, ...],
    mask: Booleans,
    evidence: Evidence,
    begin: float,
    *,
    confidence: float = CONFIDENCE,
) -> Onset:
    """The onset of the masked records' fall, at `begin` (Unix seconds) at the earliest.

    The interval holds every moment within c nats of the best one. Left and right of a true change the likelihood is a
    random walk whose highest point is about exponential, so that both stay below c with probability (1 - e^-c)², which
    gives c = 3.68 for 95 % (Siegmund 1988, Ann Stat 16:31).
    """
    time = evidence.time
    own = np.unique(time[mask & (time >= begin)])
    if len(own) == 0:
        return Onset(begin, begin, begin, confidence)
    moments = own if len(own) <= _MOMENTS else own[np.linspace(0, len(own) - 1, _MOMENTS).astype(np.int64)]
    gain = gain_curve(views, mask, time, moments)
    best = int(gain.argmax())
    allowed = _nats(confidence)
    near = np.flatnonzero(gain >= gain[best] - allowed)
    first, last = int(near[0]), int(near[-1])
    # The fall lies between the last answer before a moment and the first one from it on.
    lower = moments[first - 1] if first else _before_all(float(own[0]), mask, evidence, begin, allowed)
    return Onset(float(moments[best]), float(lower), float(moments[last]), confidence)


def _before_all(first: float, mask: Booleans, evidence: Evidence, begin: float, allowed: float) -> float:
    """From when on the fall may have begun if the `first` masked answer from `begin` on is fallen, Unix seconds.

    What had answers before `begin` may have fallen at any moment since. A value that had none was there unseen at most
    while so many other conversations began that, at its share of those since, all miss it with probability e^-allowed;
    where nobody asked before, it fell with its first answer.
    """
    early = evidence.time < first
    if np.any(mask & early):
        return begin
    if not early.any():
        return first
    begun, unseen = missing(evidence, mask, first, allowed)
    return max(begin, float(begun[-min(unseen, len(begun))]))


def missing(evidence: Evidence, mask: Booleans, first: float, allowed: float = SURELY) -> tuple[Floats, int]:
    """When what came before the `first` masked answer began, ascending, and how much of it may miss the mask by chance.

    These are conversations, or answers where all of those last from before to after: so many, at the mask's share of
    those since, all miss it with probability e^-allowed.
    """
    early = evidence.time < first
    places = np.unique(evidence.conversation, return_index=True)[1]
    own = np.unique(evidence.conversation[mask])
    begun = np.sort(evidence.time[places[evidence.time[places] < first]])
    since = evidence.conversation[places[evidence.time[places] >= first]]
    share = float(np.isin(since, own).mean()) if len(since) else 0.0
    if not share:  # conversations that last from before to after say nothing of when: their answers do
        begun, share = evidence.time[early], float(mask[~early].mean())
    return begun, 1 if share >= 1.0 else math.ceil(allowed / -math.log1p(-share))
