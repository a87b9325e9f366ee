"""The always-on detector: a mixture of restarted bets, with an average run length that needs no tuning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats

_FLOOR = -60.0


@dataclass(slots=True)
class EDetector:
    """Shiryaev-Roberts e-detectors, one row per stream, mixed over sizes of the fall.

    M <- (M + 1/k) * L for each of k sizes: a bet that starts anew with every batch. As long as L is an e-value
    given the past, the first time that sum M exceeds A is A batches away on average, or more (Shin, Ramdas &
    Rinaldo, arXiv 2203.03532). Kept as logarithms.
    """

    log: Floats
    """(streams, k)."""

    @staticmethod
    def fresh(streams: int, sizes: int) -> EDetector:
        """Nothing betted yet."""
        return EDetector(np.full((streams, sizes), _FLOOR))

    def update(self, factors: Floats, running: Booleans) -> None:
        """Take one batch's log factors (streams, k); streams that are not `running` stay."""
        grown = np.logaddexp(self.log, -np.log(self.log.shape[1])) + factors
        self.log = np.where(running[:, None], np.maximum(grown, _FLOOR), self.log)

    def level(self) -> Floats:
        """(streams,) log of the sum."""
        top: Floats = self.log.max(axis=1)
        level: Floats = top + np.log(np.exp(self.log - top[:, None]).sum(axis=1))
        return level

    def size(self, sizes: Floats) -> Floats:
        """(streams,) the size of the fall (streams, k) that the evidence speaks for."""
        weight = np.exp(self.log - self.log.max(axis=1)[:, None])
        size: Floats = (weight * sizes).sum(axis=1) / weight.sum(axis=1)
        return size

    def restart(self, streams: Booleans) -> None:
        """Forget the evidence on these streams."""
        self.log = np.where(streams[:, None], _FLOOR, self.log)
