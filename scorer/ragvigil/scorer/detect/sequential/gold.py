"""What human labels say about the two instruments: the judge and the cheap score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.estimate import Calibration
from ragvigil.scorer.estimate.logistic import logistic

LEAST_LABELS = 10
"""Of either kind; with fewer, the judge's error rate on that kind is a guess."""

USUAL_UNFAITHFUL = 0.05
"""Prior share of unfaithful answers where the cheap score is turned into a probability."""

DRIFT = 0.5
"""Standard deviations by which the cheap score is tried to fall, for what that does to the weight of errors."""

PRIOR_ITEMS = 8.0
"""Effective items at the usual rate of false flags that the few suspicious but faithful ones are mixed with."""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Answers with a human label, the judge's verdict and the cheap score; need not be a random sample.

    >>> GoldSet(np.ones(200), np.ones(200), np.full(200, 0.9))
    Traceback (most recent call last):
    ...
    ValueError: GoldSet.truth has 200 faithful and 0 unfaithful items: label at least 10 of each
    """

    truth: npt.NDArray[np.generic]
    """1 faithful, 0 not."""
    verdict: npt.NDArray[np.generic]
    """1 passed, 0 not."""
    cheap: npt.NDArray[np.generic]
    """In [0, 1]."""
    inclusion: npt.NDArray[np.float64] | None = None
    """Probability in (0, 1] with which each item was chosen, where the verdict or its difficulty played a part in
    it; None where chosen by class at most."""

    def __post_init__(self) -> None:
        """Refuse a set that nothing can be learned from.

        Raises:
            ValueError: names the column and the fix.
        """
        size = np.size(self.truth)
        for name in ("truth", "verdict", "cheap"):
            column = _column(name, getattr(self, name))
            if column.shape != (size,):
                raise ValueError(
                    f"GoldSet.{name} has shape {column.shape}: give one value per item, here ({size},)"
                )
            if not np.isfinite(column).all() or (size and (column.min() < 0.0 or column.max() > 1.0)):
                raise ValueError(
                    f"GoldSet.{name} holds values outside 0 to 1: leave out items without a value"
                )
        chance = None if self.inclusion is None else _column("inclusion", self.inclusion)
        object.__setattr__(self, "inclusion", chance)
        if chance is not None and not (
            chance.shape == (size,) and bool(np.all((chance > 0) & (chance <= 1)))
        ):
            raise ValueError("GoldSet.inclusion must lie in (0, 1] for every item: leave it out or give all")
        faithful = int((np.asarray(self.truth, dtype=np.float64) >= 0.5).sum())
        if min(faithful, size - faithful) < LEAST_LABELS:
            raise ValueError(
                f"GoldSet.truth has {faithful} faithful and {size - faithful} unfaithful items: "
                f"label at least {LEAST_LABELS} of each"
            )


def _column(name: str, values: object) -> Floats:
    """The column of this name as floats."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"GoldSet.{name} holds what is no number: give an array of numbers") from None


@dataclass(frozen=True, slots=True)
class Instruments:
    """The judge and the cheap score, as the gold set shows them."""

    sensitivity: float
    """P(passed | faithful)."""
    specificity: float
    """P(not passed | unfaithful)."""
    informative: bool
    """Whether verdicts say enough about the truth."""
    slope: float
    """Of the log density ratio unfaithful : faithful in the cheap score; 0 when it says nothing."""
    offset: float
    separation: float
    """Mean suspicion of unfaithful minus faithful items; 0 when the cheap score says nothing."""
    false_flag: float
    """Share of flags on faithful items, weighted by `weight`: what suspicious but faithful answers get."""
    weight_unfaithful: float
    """Mean `weight` of unfaithful items."""
    weight_faithful: float
    surge: float
    """Rise of `weight_unfaithful` for a rise of the mean suspicion by 1, when every cheap score falls alike."""
    surprise: float
    """E u^2 over E u of unfaithful items, all judged: how much a fall adds to the noise of what shows it."""

    @property
    def youden(self) -> float:
        """s + t - 1: how much a change of the truth changes the pass rate."""
        return self.sensitivity + self.specificity - 1.0

    @property
    def cheap_informative(self) -> bool:
        """Whether the cheap score tells unfaithful from faithful at all."""
        return self.separation > 0.0

    @property
    def signal(self) -> float:
        """Rise of the mean weighted true flag (see `evidence`) when the faithful share falls by 1."""
        return max(self.specificity - self.false_flag, 0.05) * self.weight_unfaithful

    def response(self, suspects: bool) -> float:
        """What a fall of the faithful share by 1 does to what is watched: the mean weighted true flag where verdicts
        on `suspects` are, else the pass rate."""
        return max(self.signal, 1e-3) if suspects else max(self.youden, 0.05)

    def flags_moved(self, change: float) -> float:
        """Rise of the mean weighted true flag of unfaithful answers when a drift of the cheap score raised the mean
        suspicion by `change`."""
        return max(self.specificity - self.false_flag, 0.05) * self.surge * change

    def odds(self, cheap: Floats) -> Floats:
        """Density ratio unfaithful : faithful at each cheap score, within [e-6, e5]."""
        return np.exp(np.clip(self.offset + self.slope * cheap, -6.0, 5.0))

    def suspicion(self, cheap: Floats, share: float | Floats = USUAL_UNFAITHFUL) -> Floats:
        """P(unfaithful | cheap score) when `share` of all answers are.

        The score function of a mixture's share is linear in it, so its mean is the locally best statistic for a
        rise of that share.
        """
        odds = self.odds(cheap)
        return share * odds / (1.0 + share * (odds - 1.0))

    def noise(self, suspicion: Floats) -> Floats:
        """E (flag - false_flag)^2 of an answer with that suspicion."""
        s, t, c = self.sensitivity, self.specificity, self.false_flag
        faithful = s * c * c + (1.0 - s) * (1.0 - c) ** 2
        unfaithful = t * (1.0 - c) ** 2 + (1.0 - t) * c * c
        return faithful * (1.0 - suspicion) + unfaithful * suspicion

    def weight(self, suspicion: Floats) -> Floats:
        """Weight in [0, 1] of a verdict: suspicion over its noise, the best for errors that the score sees."""
        return weight_of(suspicion, self.sensitivity, self.specificity)


def weight_of(suspicion: Floats, sensitivity: float, specificity: float) -> Floats:
    """Signal over noise of a verdict at a suspicion in [0, 1], scaled to at most 1."""
    c = 1.0 - sensitivity
    faithful = max(sensitivity * c, 0.02)
    unfaithful = specificity * (1.0 - c) ** 2 + (1.0 - specificity) * c * c
    noise = faithful * (1.0 - suspicion) + unfaithful * suspicion
    return np.minimum(1.0, suspicion / noise * max(unfaithful, 0.1))


def calibration_of(gold: GoldSet) -> Calibration:
    """The judge's verdicts on the labelled items, counted."""
    truth = np.asarray(gold.truth, dtype=np.float64) >= 0.5
    passed = np.asarray(gold.verdict, dtype=np.float64) >= 0.5
    return Calibration.of(truth.astype(np.int64), passed.astype(np.int64), inclusion=gold.inclusion)


def _weights(gold: GoldSet, truth: npt.NDArray[np.bool_]) -> Floats:
    """What each item counts: 1 on average among the faithful, and among the others."""
    if gold.inclusion is None:
        return np.ones(truth.size)
    weights: Floats = 1.0 / gold.inclusion
    for kind in (truth, ~truth):
        weights[kind] /= weights[kind].mean()
    return weights


def learn_instruments(gold: GoldSet) -> Instruments:
    """Error rates of the judge and the meaning of the cheap score, from human labels."""
    truth = np.asarray(gold.truth, dtype=np.float64) >= 0.5
    passed = np.asarray(gold.verdict, dtype=np.float64) >= 0.5
    cheap = np.asarray(gold.cheap, dtype=np.float64)
    labels = calibration_of(gold)
    s = (labels.faithful_passed + 0.5) / (labels.faithful + 1.0)
    t = (labels.unfaithful_failed + 0.5) / (labels.unfaithful + 1.0)
    informative = labels.refusal(0, 0) is None
    each = _weights(gold, truth)
    slope, offset = _log_density_ratio(cheap, truth, each)
    suspicion = _suspicion(offset + slope * cheap)
    separation = _mean(suspicion, each, ~truth) - _mean(suspicion, each, truth)
    spread = (
        _variance(suspicion, each, ~truth) / labels.unfaithful
        + _variance(suspicion, each, truth) / labels.faithful
    )
    error = float(spread**0.5)
    if slope == 0.0 or separation < 3.0 * error or separation < 0.02:
        slope, offset, separation = 0.0, 0.0, 0.0
        suspicion = np.full(cheap.shape, USUAL_UNFAITHFUL)
    weight = weight_of(suspicion, s, t)
    suspects = (each * weight)[truth]
    prior = PRIOR_ITEMS * float((suspects**2).sum() / suspects.sum())
    false_flag = (float((suspects * ~passed[truth]).sum()) + prior * (1.0 - s)) / (
        float(suspects.sum()) + prior
    )
    unfaithful_squares = t * (1.0 - false_flag) ** 2 + (1.0 - t) * false_flag**2
    signal = max(t - false_flag, 0.05) * _mean(weight, each, ~truth)
    return Instruments(
        s,
        t,
        informative,
        slope,
        offset,
        separation,
        false_flag,
        _mean(weight, each, ~truth),
        _mean(weight, each, truth),
        _surge(slope, offset, cheap, truth, each, s, t),
        unfaithful_squares * _mean(weight**2, each, ~truth) / signal,
    )


def _surge(
    slope: float,
    offset: float,
    cheap: Floats,
    truth: npt.NDArray[np.bool_],
    each: Floats,
    sensitivity: float,
    specificity: float,
) -> float:
    """`Instruments.surge`, from what a fall of every score by `DRIFT` does to the labelled answers."""
    if slope == 0.0:
        return 0.0
    now = _suspicion(offset + slope * cheap)
    then = _suspicion(offset + slope * (cheap - DRIFT * float(cheap.std())))
    grown = then - now
    rise = USUAL_UNFAITHFUL * _mean(grown, each, ~truth) + (1.0 - USUAL_UNFAITHFUL) * _mean(
        grown, each, truth
    )
    heavier = weight_of(then, sensitivity, specificity) - weight_of(now, sensitivity, specificity)
    return _mean(heavier, each, ~truth) / max(rise, 1e-3)


def _suspicion(log_odds: Floats) -> Floats:
    odds = np.exp(np.clip(log_odds, -6.0, 5.0))
    return USUAL_UNFAITHFUL * odds / (1.0 + USUAL_UNFAITHFUL * (odds - 1.0))


def _mean(values: Floats, weights: Floats, which: npt.NDArray[np.bool_]) -> float:
    return float(np.average(values[which], weights=weights[which]))


def _variance(values: Floats, weights: Floats, which: npt.NDArray[np.bool_]) -> float:
    return _mean((values - _mean(values, weights, which)) ** 2, weights, which)


def _log_density_ratio(cheap: Floats, truth: npt.NDArray[np.bool_], counts: Floats) -> tuple[float, float]:
    """(slope, offset) of a logistic regression of "unfaithful", both classes weighted alike; ridge 1 on the slope."""
    spread = float(cheap.std())
    if spread < 1e-6:
        return 0.0, 0.0
    centre = float(cheap.mean())
    design = np.stack([np.ones(cheap.size), (cheap - centre) / spread], axis=1)
    target: Floats = (~truth).astype(np.float64)
    each = (0.5 / float(truth.sum()), 0.5 / float((~truth).sum()))
    weights: Floats = np.where(truth, *each) * cheap.size * counts
    intercept, steepness = logistic(design, target, weights, np.array([0.0, 1.0])).tolist()
    slope = min(0.0, steepness) / spread
    return slope, intercept - slope * centre
