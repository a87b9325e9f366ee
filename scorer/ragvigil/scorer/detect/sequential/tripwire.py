"""The tripwire: a CUSUM on the cheap score of all traffic. It never pages; it buys verdicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats


@dataclass(slots=True)
class Tripwire:
    """Gaussian CUSUM (Page 1954) of the mean suspicion, per stream and design size."""

    log: Floats
    """(streams, k) nats."""
    rise: Floats
    """(streams, k) summed residual since `log` left 0."""
    traces: Floats
    """(streams, k) traffic since then."""

    @staticmethod
    def fresh(streams: int, sizes: int) -> Tripwire:
        """Nothing seen yet."""
        return Tripwire(np.zeros((streams, sizes)), np.zeros((streams, sizes)), np.zeros((streams, sizes)))

    def after(self, residual: Floats, traces: Floats, noise: Floats, shift: Floats) -> Tripwire:
        """The state after a batch; this one is left as it is, so that planning can look ahead.

        `residual` (streams,) is the sum of suspicion less its normal mean, `noise` (streams,) its variance per
        trace, `shift` (streams, k) the rises of the mean that it looks for.
        """
        step = residual[:, None] * shift / noise[:, None] - traces[:, None] * shift**2 / (
            2.0 * noise[:, None]
        )
        log = np.maximum(0.0, self.log + step)
        alive = log > 0.0
        return Tripwire(
            log,
            np.where(alive, self.rise + residual[:, None], 0.0),
            np.where(alive, self.traces + traces[:, None], 0.0),
        )

    def level(self) -> Floats:
        """(streams,) nats."""
        level: Floats = self.log.max(axis=1)
        return level

    def mean_rise(self) -> Floats:
        """(streams,) rise of the mean since the leading CUSUM left 0."""
        best = self.log.argmax(axis=1)[:, None]
        rise = np.take_along_axis(self.rise, best, axis=1)[:, 0]
        traces = np.take_along_axis(self.traces, best, axis=1)[:, 0]
        mean: Floats = rise / np.maximum(traces, 1.0)
        return mean

    def restart(self, streams: Booleans) -> None:
        """Forget what was seen on these streams."""
        for name in ("log", "rise", "traces"):
            setattr(self, name, np.where(streams[:, None], 0.0, getattr(self, name)))
