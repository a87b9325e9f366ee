"""Bounded bets: the one form in which all evidence is weighed (Waudby-Smith & Ramdas, JRSS-B 2024)."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Floats, Integers, sum_by

LARGEST_LOSS = 0.8
"""Most of the stake that one conversation may lose."""


def per_slot(slot: Integers, gain: Floats, loss: Floats, stake: Floats, slots: int) -> Floats:
    """(slots, k) sum over conversations (rows) of log(1 + stake * gain), for stakes (slots, k).

    `loss` is the most that each could have lost; no stake puts more than LARGEST_LOSS at risk, so a factor is
    never below 1 - LARGEST_LOSS, and its mean is at most 1 while the mean gain is at most 0.
    """
    if slot.size == 0:
        return np.zeros((slots, stake.shape[1]))
    most = LARGEST_LOSS / np.maximum(loss, 1e-9)
    factors = np.log1p(np.minimum(stake[slot], most[:, None]) * gain[:, None])
    return np.stack([sum_by(slot, column, slots) for column in factors.T], axis=1)
