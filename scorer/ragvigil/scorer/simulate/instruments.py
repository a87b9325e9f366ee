"""How the cheap score and the judge see an answer: what a simulated or recorded service is watched with."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.simulate.world import Floats, Service, Shape, World

Booleans = npt.NDArray[np.bool_]

_CHEAP_MEAN, _CHEAP_SPREAD = 0.76, 0.16


@dataclass(frozen=True, slots=True)
class Hidden:
    """What only the simulation knows about the traces of a batch."""

    faithful: Booleans
    leniency: Floats
    """The judge passes an answer above a threshold, which is the instruments' affair."""
    segment: npt.NDArray[np.int64]

    def take(self, chosen: Booleans | npt.NDArray[np.int64]) -> Hidden:
        """The traces that were chosen."""
        return Hidden(self.faithful[chosen], self.leniency[chosen], self.segment[chosen])

    @staticmethod
    def join(parts: list[Hidden]) -> Hidden:
        """All parts in one."""
        return Hidden(
            np.concatenate([part.faithful for part in parts]),
            np.concatenate([part.leniency for part in parts]),
            np.concatenate([part.segment for part in parts]),
        )


class Instruments(Protocol):
    """A cheap score and a judge. Neither draws from `random` but as often as it has answers before it."""

    def cheap(
        self, faithful: Booleans, looks_faithful: Booleans, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """(cheap score in [0, 1], what the judge shares of how it came about) of each answer."""
        ...

    def leniency(self, shared: Floats, random: np.random.Generator) -> Floats:
        """How much the judge likes each answer."""
        ...

    def passed(self, hidden: Hidden, drop: float) -> Booleans:
        """What the judge says when it passes `drop` fewer of the faithful answers than it did."""
        ...


class Bell:
    """Normal scores, the judge's correlated with the cheap one's: an invented world's instruments."""

    def __init__(self, world: World, service: Service) -> None:
        """Those of one service."""
        self._world, self._sensitivity = world, service.sensitivity

    def cheap(
        self, faithful: Booleans, looks_faithful: Booleans, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """(cheap score, its noise in standard deviations); only what looks faithful counts."""
        noise = random.normal(size=faithful.size)
        shift = np.where(looks_faithful, 0.0, self._world.cheap_gap)
        return shaped(noise - shift, self._world.cheap_shape), noise

    def leniency(self, shared: Floats, random: np.random.Generator) -> Floats:
        """Standard normal, correlated with the cheap score's noise."""
        weight = self._world.shared_noise
        own = random.normal(size=shared.size)
        leniency: Floats = weight * shared + (1.0 - weight**2) ** 0.5 * own
        return leniency

    def passed(self, hidden: Hidden, drop: float) -> Booleans:
        """By a threshold for each segment's faithful answers, and one for the others."""
        strict = np.array([NormalDist().inv_cdf(1.0 - s + drop) for s in self._sensitivity])
        lax = NormalDist().inv_cdf(self._world.specificity)
        passed: Booleans = hidden.leniency > np.where(hidden.faithful, strict[hidden.segment], lax)
        return passed


def asked(
    passed: Booleans, flip: float, random: np.random.Generator, *, again: bool
) -> npt.NDArray[np.int64]:
    """(n,) verdicts, 1 or 0; asked `again`, an unchanged judge flips that share of them."""
    said = passed ^ (random.random(passed.size) < flip) if again else passed
    return said.astype(np.int64)


def shaped(score: Floats, shape: Shape) -> Floats:
    """The cheap score in [0, 1] for a standard normal one.

    >>> [float(shaped(np.zeros(1), shape).round(2)[0]) for shape in ("bell", "uniform", "binary", "skewed")]
    [0.76, 0.5, 0.99, 0.92]
    """
    if shape == "bell":
        return np.clip(_CHEAP_MEAN + _CHEAP_SPREAD * score, 0.0, 1.0)
    logistic = 1.0 / (1.0 + np.exp(-np.clip(1.702 * score, -30.0, 30.0)))
    if shape == "uniform":
        return logistic
    if shape == "binary":
        return 1.0 / (1.0 + np.exp(-np.clip(6.0 * (score + 0.8), -30.0, 30.0)))
    if shape == "skewed":
        return logistic**0.12
    return 0.6 + 0.4 * logistic
