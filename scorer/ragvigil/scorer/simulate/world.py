"""A service that does not exist: its traffic, its quality, its judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

Shape = Literal["bell", "uniform", "binary", "skewed", "narrow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Parameters of the simulated service. The defaults are those of docs/alert-quality.md."""

    traces_per_day: float = 20_000.0
    batch_seconds: float = 1800.0
    segments: int = 12
    largest_share: float = 0.22
    smallest_share: float = 0.02
    unfaithful: tuple[float, float] = (0.03, 0.08)
    """Least and greatest base rate of unfaithful answers; the mean over traffic is put at `mean_unfaithful`."""
    mean_unfaithful: float = 0.05
    wobble: float = 0.08
    """Day-to-day standard deviation of quality on the logit scale, for each segment."""
    sensitivity: float = 0.85
    sensitivity_spread: float = 0.03
    """Over segments."""
    specificity: float = 0.92
    correlation: float = 0.53
    """Of the cheap score with the truth, at `mean_unfaithful`."""
    cheap_shape: Shape = "bell"
    """How the cheap score is distributed; every other shape is a monotone function of the bell."""
    shared_noise: float = 0.3
    """Correlation of the judge's noise with the cheap score's."""
    flip: float = 0.02
    """Share of verdicts that differ when an unchanged judge is asked again."""
    turns: float = 3.0
    """Mean traces of a conversation."""
    cluster: float = 0.16
    """Correlation of the truth within a conversation."""
    daily_cycle: float = 0.6
    """Amplitude of the traffic over the day, as a share of its mean."""
    weekend: float = 0.7
    """Traffic of Saturday and Sunday, as a share of the other days."""
    bad_citations: float = 0.02
    """Share of answers whose citations do not resolve, all being well."""
    empty_retrievals: float = 0.01
    """Share of questions for which nothing is retrieved, all being well."""
    whole_conversations: float = 0.0
    """Share of those two, and of a fault in them, that hold for a whole conversation instead of one turn."""
    missing_verdicts: float = 0.0
    """Share of the chosen traces for which the judge never answers."""
    granted: float = 1.0
    """What the caller grants of the planned inclusion probabilities."""
    gold_faithful: int = 140
    gold_unfaithful: int = 60

    @property
    def cheap_gap(self) -> float:
        """Distance of the cheap score's means, faithful minus unfaithful, in its standard deviations.

        From the point-biserial correlation: rho^2 = pi (1 - pi) g^2 / (1 + pi (1 - pi) g^2).
        """
        spread = self.mean_unfaithful * (1.0 - self.mean_unfaithful)
        return float((self.correlation**2 / (spread * (1.0 - self.correlation**2))) ** 0.5)


@dataclass(frozen=True, slots=True)
class Service:
    """One service drawn from a world: what a seed fixes for a whole run."""

    shares: Floats
    unfaithful: Floats
    sensitivity: Floats
    wobble: Floats
    """(days, segments), logit."""


def draw_service(world: World, random: np.random.Generator, days: int) -> Service:
    """Shares, base rates and day-to-day wobble of one service."""
    ratio = world.smallest_share / world.largest_share
    steps = np.linspace(0.0, 1.0, world.segments) if world.segments > 1 else np.zeros(1)
    shares = world.largest_share * ratio**steps
    shares = shares / shares.sum()
    unfaithful = random.uniform(*world.unfaithful, world.segments)
    unfaithful = unfaithful * world.mean_unfaithful / float(shares @ unfaithful)
    sensitivity = world.sensitivity + random.uniform(-1.0, 1.0, world.segments) * world.sensitivity_spread
    wobble = random.normal(0.0, world.wobble, (days + 1, world.segments))
    return Service(shares, unfaithful, np.clip(sensitivity, 0.5, 0.999), wobble)
