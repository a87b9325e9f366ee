"""When the fall of a set of records began: the likeliest moment, and the moments that are nearly as likely."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.diagnose.gain import gain_curve
from ragvigil.scorer.diagnose.views import View
from ragvigil.scorer.estimate.window import Booleans, Floats

CONFIDENCE = 0.95
_MOMENTS = 400


@dataclass(frozen=True, slots=True)
class Onset:
    """A change point with its interval, Unix seconds."""

    at: float
    lower: float
    upper: float
    confidence: float = CONFIDENCE


def onset_of(
    views: tuple[View, ...], mask: Booleans, time: Floats, begin: float, *, confidence: float = CONFIDENCE
) -> Onset:
    """The onset of the masked records' fall, at `begin` (Unix seconds) at the earliest.

    The interval holds every moment within c nats of the best one. Left and right of a true change the likelihood is a
    random walk whose highest point is about exponential, so that both stay below c with probability (1 - e^-c)², which
    gives c = 3.68 for 95 % (Siegmund 1988, Ann Stat 16:31).
    """
    own = np.unique(time[mask & (time >= begin)])
    if len(own) == 0:
        return Onset(begin, begin, begin, confidence)
    moments = own if len(own) <= _MOMENTS else own[np.linspace(0, len(own) - 1, _MOMENTS).astype(np.int64)]
    gain = gain_curve(views, mask, time, moments)
    best = int(gain.argmax())
    allowed = -math.log(1.0 - math.sqrt(confidence))
    near = np.flatnonzero(gain >= gain[best] - allowed)
    first, last = int(near[0]), int(near[-1])
    # The fall lies between the last answer before a moment and the first one from it on.
    lower = moments[first - 1] if first else begin
    return Onset(float(moments[best]), float(lower), float(moments[last]), confidence)
