"""Traffic whose truth is known, for coverage: conversations, segments, a judge with errors, a cheap score."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ragvigil.scorer.estimate import Calibration, Window, window
from ragvigil.scorer.sample import allocate

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class World:
    """Parameters of simulated traffic."""

    faithful: float = 0.95
    """π, the rate of faithful answers over all segments."""
    sensitivity: float = 0.85
    specificity: float = 0.92
    separation: float = 2.87
    """Distance of the cheap score's classes in standard deviations: 2.87 correlates .53 with the truth at .95."""
    shared: float = 0.2
    """Correlation of judge noise with noise of the cheap score."""
    segments: int = 1
    clustered: bool = False
    """Conversations of 5 turns on average, with intra-class correlation .16 of the truth."""
    share: float = 0.10
    """Judged share."""

    @property
    def passed(self) -> float:
        """p, what the judge passes on average."""
        return self.sensitivity * self.faithful + (1.0 - self.specificity) * (1.0 - self.faithful)

    def gold(self, random: np.random.Generator, *, faithful: int = 140, unfaithful: int = 60) -> Calibration:
        """A labelled set chosen by class."""
        right = int(random.binomial(faithful, self.sensitivity))
        caught = int(random.binomial(unfaithful, self.specificity))
        return Calibration(right, faithful - right, caught, unfaithful - caught)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A window, and the truth of each of its records."""

    window: Window
    truth: Integers


def segment_rates(world: World) -> tuple[Floats, Floats]:
    """(share, faithful rate) of each segment: shares fall off, rates spread by half of the unfaithful rate."""
    share = 1.0 / np.arange(1, world.segments + 1) ** 0.8
    share = share / share.sum()
    bad = (1.0 - world.faithful) * np.linspace(0.6, 1.6, world.segments)
    return share, 1.0 - bad * (1.0 - world.faithful) / float(share @ bad)


def stretch(
    world: World,
    random: np.random.Generator,
    judged: int,
    *,
    design: str = "uniform",
    mix: Floats | None = None,
) -> Stretch:
    """A window of judged / share records; `design`: uniform, segment (square root), suspicious (cheap score low)."""
    size = round(judged / world.share)
    share, rates = segment_rates(world)
    conversation = _conversations(random, size) if world.clustered else np.arange(size)
    codes = random.choice(len(share), size=int(conversation.max()) + 1, p=share if mix is None else mix)
    segment = codes[conversation].astype(np.int64)
    chance = rates[segment]
    if world.clustered:
        spread = (1.0 - 0.16) / 0.16
        of_segment = rates[codes]
        chance = random.beta(of_segment * spread, (1.0 - of_segment) * spread)[conversation]
    truth = (random.random(size) < chance).astype(np.int64)
    noise = random.standard_normal(size)
    cheap = noise + world.separation * truth
    doubt = world.shared * noise + np.sqrt(1.0 - world.shared**2) * random.standard_normal(size)
    bar = np.where(truth == 1, _NORMAL.inv_cdf(world.sensitivity), _NORMAL.inv_cdf(1.0 - world.specificity))
    inclusion = _inclusion(design, world.share, segment, cheap)
    asked = random.random(size) < inclusion
    verdict = np.where(asked, (-doubt < bar).astype(np.int64), -1)
    seen = window(
        verdict=verdict,
        judged=asked,
        inclusion=inclusion,
        cheap=1.0 / (1.0 + np.exp(-cheap)),
        conversation=conversation,
        segment=segment,
    )
    return Stretch(seen, truth)


def _inclusion(design: str, share: float, segment: Integers, cheap: Floats) -> Floats:
    if design == "segment":
        return allocate(np.bincount(segment), budget=share)[segment]
    if design == "suspicious":
        low = cheap < np.quantile(cheap, 0.2)
        return np.where(low, 3.0 * share, 0.5 * share)
    return np.full(len(segment), share)


def _conversations(random: np.random.Generator, size: int) -> Integers:
    turns = random.geometric(0.2, size)
    starts = np.zeros(size, dtype=np.int64)
    ends = np.cumsum(turns)
    starts[ends[ends < size]] = 1
    return np.cumsum(starts)
