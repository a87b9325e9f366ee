"""The always-on detector: a mixture of restarted bets, with an average run length that needs no tuning."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats

_FLOOR = -60.0
DOUBT = 3.0
"""Nats that leave open when a fall began."""


@dataclass(slots=True)
class EDetector:
    """Shiryaev-Roberts e-detectors, one row per stream, mixed over sizes of the fall.

    M <- (M + 1/k) * L for each of k sizes: a bet that starts anew with every batch. As long as L is an e-value
    given the past, the first time that sum M exceeds A is A batches away on average, or more (Shin, Ramdas &
    Rinaldo, arXiv 2203.03532). Kept as logarithms.
    """

    log: Floats
    """(streams, k)."""
    run: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """(streams, k) CUSUM of the same factors (Page 1954)."""
    latest: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """(streams, k) last moment at which `run` was at most DOUBT."""
    deep: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """(streams, k) the same sum, which starts anew only below -DOUBT."""
    earliest: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """(streams, k) last moment at which `deep` started."""

    def __post_init__(self) -> None:
        """A state that was saved without them knows nothing of when."""
        for name in ("run", "latest", "deep", "earliest"):
            if getattr(self, name).shape != self.log.shape:
                setattr(self, name, np.zeros(self.log.shape))

    @staticmethod
    def fresh(streams: int, sizes: int) -> EDetector:
        """Nothing betted yet."""
        return EDetector(np.full((streams, sizes), _FLOOR))

    def update(self, factors: Floats, running: Booleans) -> None:
        """Take one batch's log factors (streams, k); streams that are not `running` stay."""
        grown = np.logaddexp(self.log, -np.log(self.log.shape[1])) + factors
        self.log = np.where(running[:, None], np.maximum(grown, _FLOOR), self.log)
        moved = np.where(running[:, None], factors, 0.0)
        self.run, self.deep = np.maximum(self.run + moved, 0.0), self.deep + moved

    def date(self, now: float) -> None:
        """Note what had not begun by `now`, the end of the batch that was taken."""
        self.latest = np.where(self.run <= DOUBT, now, self.latest)
        anew = self.deep < -DOUBT
        self.earliest, self.deep = np.where(anew, now, self.earliest), np.where(anew, 0.0, self.deep)

    def onset(self) -> tuple[Floats, Floats]:
        """((streams,) earliest, (streams,) latest) moment at which what the evidence shows may have begun, seconds."""
        best = self.run.argmax(axis=1)[:, None]
        earliest: Floats = np.take_along_axis(self.earliest, best, axis=1)[:, 0]
        latest: Floats = np.take_along_axis(self.latest, best, axis=1)[:, 0]
        return earliest, latest

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
        self.run = np.where(streams[:, None], 0.0, self.run)
        self.deep = np.where(streams[:, None], -2.0 * DOUBT, self.deep)
