"""What labels drawn from judged production traffic say of the judge: sensitivity, specificity, agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ragvigil.scorer.estimate.calibration import INFORMATIVE, Calibration, few_unfaithful, not_informative
from ragvigil.scorer.estimate.interval import DRAWS, SEED, clusters_of, draws, quantiles, variance_of
from ragvigil.scorer.estimate.result import FEWEST, Estimate, Refusal, too_few
from ragvigil.scorer.estimate.strata import BINS, Strata, covered
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers, Window, sums, whole_numbers

_SIDES = ("failed", "passed")


@dataclass(frozen=True, slots=True)
class Confusion:
    """The judge against people, weighted to the traffic that the labels were drawn from."""

    sensitivity: Estimate
    """s = P(passed | faithful)."""
    specificity: Estimate
    """t = P(failed | unfaithful)."""
    agreement: Estimate
    """P(judge and people say the same)."""
    informativeness: Estimate
    """J = s + t - 1, in [-1, 1]."""
    right_when_passed: Estimate
    """P(faithful | passed)."""
    right_when_failed: Estimate
    """P(unfaithful | failed)."""
    shares: tuple[float, float, float, float]
    """Of judged traffic: faithful passed, faithful failed, unfaithful failed, unfaithful passed; they add up to 1."""
    labels: tuple[int, int, int, int]
    """The labels behind them, counted."""

    @property
    def refusal(self) -> Refusal | None:
        """Why nothing may be built on this judge's verdicts; None when something may."""
        lowest = self.informativeness.lower
        if lowest >= INFORMATIVE:
            return None
        found = self.informativeness
        return not_informative(lowest, found.n_judged, found.n_traces)

    @property
    def calibration(self) -> Calibration:
        """The counts of a plain labelled set that would know as much of s and t."""
        s, t = self.sensitivity, self.specificity
        return Calibration(
            s.value * s.n_effective,
            (1.0 - s.value) * s.n_effective,
            t.value * t.n_effective,
            (1.0 - t.value) * t.n_effective,
        )


class Side(NamedTuple):
    """Verdicts of one kind: how often people say the opposite."""

    wrong: float
    variance: float
    step: float
    """What one more such label adds."""

    def drawn(self, random: np.random.Generator) -> Floats:
        """Draws of `wrong`, in random order."""
        return random.permutation(draws(self.wrong, self.variance, self.step, random))


def confusion(
    data: Window,
    strata: Strata,
    truth: ArrayLike,
    *,
    among: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Confusion | Refusal:
    """Sensitivity, specificity and agreement; a Refusal below 20 labels, or without 5 of either verdict.

    `truth` and the draw are those of `audited_level`; `among` (true where it is in it) narrows everything to a
    segment. Among the passed and among the failed answers the share on which people disagree is a sum over strata
    of W_g times the labels' mean, with the mid-P distribution of `interval.draws`; the share that passed has
    Jeffreys' Beta on the sample's effective size. s, t, J and the rest are functions of these three. Unweighted
    counts of stratified labels would be wrong: flagged answers are drawn ten times as often.
    """
    inside = np.ones(data.size, dtype=np.bool_) if among is None else np.asarray(among, dtype=np.bool_)
    truths = whole_numbers("truth", truth)
    if truths.shape != (data.size,) or inside.shape != (data.size,):
        raise ValueError(f"truth and among must be as long as the window ({data.size})")
    member = inside & data.known & (strata.code >= 0) & (strata.code < 2 * BINS)
    labelled = member & (truths >= 0)
    n, n_traces = int(labelled.sum()), int(inside.sum())
    if n < FEWEST:
        return too_few(n, n_traces, what="labels")
    few = [name for value, name in enumerate(_SIDES) if (labelled & (data.verdict == value)).sum() < 5]
    if few:
        detail = f"not enough data: fewer than 5 labels of answers that {few[0]}"
        return Refusal("not_enough_data", detail, n, n_traces)
    weight = np.where(member, 1.0 / np.where(member, data.inclusion, 1.0), 0.0)
    code = covered(np.where(member, strata.code, -1), labelled)
    failed, passed = (
        _side(data, code, weight, member & (data.verdict == value), labelled, truths == 1 - value, confidence)
        for value in (0, 1)
    )
    return _confusion(data, weight, truths, labelled, (failed, passed), n_traces, confidence)


def _side(
    data: Window,
    code: Integers,
    weight: Floats,
    member: Booleans,
    labelled: Booleans,
    wrong: Booleans,
    confidence: float,
) -> Side:
    """How often people say the opposite among `member`, the answers with one verdict."""
    labelled = labelled & member
    own, size = np.where(member, weight, 0.0), int(code.max()) + 1
    read = np.where(labelled, weight, 0.0)
    share = sums(code, own, size) / own.sum()
    totals, counts = sums(code, read, size), sums(code, labelled.astype(np.float64), size)
    safe = np.where(totals > 0.0, totals, 1.0)
    rate = sums(code, read * wrong, size) / safe
    level = float(share @ rate)
    spread = np.sqrt(counts / np.maximum(counts - 1.0, 1.0))
    influence = read * (wrong - rate[code]) * (share / safe * spread)[code]
    influence += own / own.sum() * (rate[code] - level)
    clusters = clusters_of(data.conversation, labelled)
    variance = variance_of(influence, data.conversation, clusters, confidence)
    used = counts > 0
    return Side(level, variance, float((share[used] / counts[used]).mean()))


def _confusion(
    data: Window,
    weight: Floats,
    truths: Integers,
    labelled: Booleans,
    sides: tuple[Side, Side],
    n_traces: int,
    confidence: float,
) -> Confusion:
    random = np.random.default_rng(SEED)
    failed, passed = sides
    p = float(weight @ (data.verdict == 1)) / float(weight.sum())
    n = float(weight.sum()) ** 2 / float(weight @ weight)
    at = four_shares(np.asarray(p), np.asarray(failed.wrong), np.asarray(passed.wrong))
    drawn = four_shares(
        random.beta(n * p + 0.5, n * (1.0 - p) + 0.5, DRAWS),
        failed.drawn(random),
        passed.drawn(random),
    )

    unfaithful = int((labelled & (truths == 0)).sum())

    def estimate(name: str, value: Floats, sample: Floats, lowest: float = 0.0) -> Estimate:
        lower, upper = quantiles(sample, confidence, lowest=lowest, highest=1.0)
        found, count = float(value), int(labelled.sum())
        middle, variance = float(sample.mean()), max(float(sample.var()), 1e-9)
        size = max(middle * (1.0 - middle) / variance - 1.0, 1.0) if lowest == 0.0 else float(count)
        caveats = few_unfaithful(unfaithful) if name in ("specificity", "informativeness") else ()
        return Estimate(
            found, min(lower, found), max(upper, found), count, n_traces, size, confidence,
            f"audited-{name}-midp", caveats=caveats,
        )  # fmt: skip

    counted = [
        int((labelled & (truths == truth) & (data.verdict == verdict)).sum())
        for truth, verdict in ((1, 1), (1, 0), (0, 0), (0, 1))
    ]
    shares = [float(share) for share in at]
    return Confusion(
        estimate("sensitivity", part(at[0], at[1]), part(drawn[0], drawn[1])),
        estimate("specificity", part(at[2], at[3]), part(drawn[2], drawn[3])),
        estimate("agreement", at[0] + at[2], drawn[0] + drawn[2]),
        estimate("informativeness", _youden(at), _youden(drawn), lowest=-1.0),
        estimate("right-when-passed", part(at[0], at[3]), part(drawn[0], drawn[3])),
        estimate("right-when-failed", part(at[2], at[1]), part(drawn[2], drawn[1])),
        (shares[0], shares[1], shares[2], shares[3]),
        (counted[0], counted[1], counted[2], counted[3]),
    )


Four = tuple[Floats, Floats, Floats, Floats]


def four_shares(p: Floats, failed_wrong: Floats, passed_wrong: Floats) -> Four:
    """Faithful passed, faithful failed, unfaithful failed, unfaithful passed."""
    return (
        p * (1.0 - passed_wrong),
        (1.0 - p) * failed_wrong,
        (1.0 - p) * (1.0 - failed_wrong),
        p * passed_wrong,
    )


def part(one: Floats, other: Floats) -> Floats:
    """The share of `one` in both together."""
    return one / np.maximum(one + other, 1e-12)


def _youden(four: Four) -> Floats:
    return part(four[0], four[1]) + part(four[2], four[3]) - 1.0
