"""Betting on a fall: what each batch of verdicts multiplies the stake by.

Two families, each an e-process while nothing falls (Waudby-Smith & Ramdas, JRSS-B 2024: betting):

- *plain*: V the verdict, q the pass rate less its tolerance; one factor 1 + lam * sum w (q - V) for each
  conversation. Sees every fall of the pass rate, from the judge's own as well as from the answers'.
- *suspect*: verdicts weighted by what the cheap score suspects, less the flags c that faithful answers get:
  u = psi(x) (1 - V - c) / pi. Its mean is J * E[psi; unfaithful], whatever the cheap score does to faithful
  answers, so a drift of that score moves it only as far as it makes unfaithful ones more suspicious than they were
  (docs/alert-quality.md, "Other worlds"), and one flag among suspects says far more than one anywhere.
  One factor 1 + lam * sum u for each conversation and exp(-lam q) for each trace of the traffic.

`conditional` replaces c by the flags expected at that score: for the batch whose cheap scores opened a burst,
which is not a random batch any more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats, Integers, count_by, sum_by
from ragvigil.scorer.detect.sequential.betting import LARGEST_LOSS, per_slot
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.reference import Reference, level_of

RARELY = 0.05
"""Share of a slot's traces that may be chosen more rarely than the others without making every verdict weigh less."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts of one batch, summed within conversations (rows)."""

    slot: Integers
    weight: Floats
    """Sum of w over the conversation's judged traces: 1 for those chosen like most, less for those chosen more."""
    passed: Floats
    """Sum of w V."""
    excess: Floats
    """Sum of u."""
    least: Floats
    """The smallest that `excess` could have been."""
    conditional: Floats
    """Sum of psi (1 - V - f(x)) / pi."""
    least_conditional: Floats
    most: Floats
    """(slots,) the largest that the `excess` of any conversation of the traffic could have been."""
    traffic: Floats
    """(slots,) traces of the batch."""
    traces: Floats
    """(slots,) those with a cheap score that could be chosen: the others weigh nothing among suspects, so they count
    for nothing."""
    noise: Floats
    """(slots,) sum over the traffic of the variance of u that its inclusion probabilities imply."""
    noise_unsampled: Floats
    """(slots,) the same, had everything been judged."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What the cheap scores of a batch say, per trace."""

    plain: Floats
    """P(unfaithful | score)."""
    weight: Floats
    """psi."""
    noise: Floats
    """E (flag - c)^2."""


def suspect(cheap: Floats, known: Booleans, instruments: Instruments) -> Suspicion:
    """Suspicion of each trace; a trace without a score gets no weight."""
    plain = instruments.suspicion(cheap)
    weight = np.where(known, instruments.weight(plain), 0.0)
    return Suspicion(plain, weight, instruments.noise(plain))


def expected_flags(
    suspicion: Floats, cheap: Floats, slot: Integers, instruments: Instruments, reference: Reference
) -> Floats:
    """P(flag | score, segment) while all is well."""
    own = instruments.suspicion(cheap, reference.unfaithful[slot])
    model = instruments.false_flag + (instruments.specificity - instruments.false_flag) * own
    return np.clip(model + reference.correction[level_of(suspicion)], 0.01, 0.99)


def gather(
    slot: Integers,
    conversation: Integers,
    suspicion: Suspicion,
    *,
    chance: Floats,
    answered: Booleans,
    passed: Floats,
    expected: Floats,
    instruments: Instruments,
    slots: int,
    scored: Booleans,
) -> Verdicts:
    """Sum a batch's verdicts within conversations. `chance` is the true inclusion probability of every trace, 0 for
    one that is never judged (without claims or evidence, say) and of which verdicts say nothing.

    `scored` says which traces have a cheap score.
    """
    open_ = chance > 0.0
    traffic, traces = count_by(slot, slots), count_by(slot[scored & open_], slots)
    unsampled = np.where(open_, suspicion.weight**2 * suspicion.noise, 0.0)
    possible = np.maximum(chance, 1e-3)
    noise = sum_by(slot, unsampled / possible, slots)
    noise_unsampled = sum_by(slot, unsampled, slots)
    lowest = _usual_chances(slot[open_], possible[open_], slots)
    c = instruments.false_flag
    heaviest = np.where(open_, suspicion.weight * (1.0 - c) / possible, 0.0)
    most = _largest(slot, conversation, heaviest, slots)
    rows = np.flatnonzero(answered)
    slot, chance, passed = slot[rows], possible[rows], passed[rows]
    psi, expected = suspicion.weight[rows] / chance, expected[rows]
    weight = np.minimum(1.0, lowest[slot] / chance)
    key = conversation[rows] * slots + slot
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    count = first.size

    def within(values: Floats) -> Floats:
        return sum_by(group, values, count)

    flag = 1.0 - passed
    return Verdicts(
        slot[first],
        within(weight),
        within(weight * passed),
        within(psi * (flag - c)),
        within(-psi * c),
        within(psi * (flag - expected)),
        within(-psi * expected),
        most,
        traffic,
        traces,
        noise,
        noise_unsampled,
    )


def _largest(slot: Integers, conversation: Integers, values: Floats, slots: int) -> Floats:
    """(slots,) largest sum of `values` over a conversation."""
    _, first, group = np.unique(conversation * slots + slot, return_index=True, return_inverse=True)
    largest = np.zeros(slots)
    np.maximum.at(largest, slot[first], sum_by(group, values, first.size))
    return largest


def _usual_chances(slot: Integers, chance: Floats, slots: int) -> Floats:
    """(slots,) the inclusion probability that all but RARELY of a slot's traces have at least; 1 without traces."""
    order = np.lexsort((chance, slot))
    count = np.bincount(slot, minlength=slots)
    first = np.cumsum(count) - count
    there = count > 0
    usual = np.ones(slots)
    usual[there] = chance[order][(first + (RARELY * count).astype(np.int64))[there]]
    return usual


def plain_factors(verdicts: Verdicts, passed: Floats, shift: Floats, slots: int) -> Floats:
    """(slots, k) log factors against pass rates `passed` (slots,), for falls of `shift` (slots, k) of that rate."""
    q = np.clip(passed, 0.02, 0.98)
    stake = shift / ((q * (1.0 - q))[:, None] + shift * np.maximum(2.0 * q - 1.0, 0.0)[:, None])
    own = q[verdicts.slot]
    gain = own * verdicts.weight - verdicts.passed
    loss = (1.0 - own) * verdicts.weight
    return per_slot(verdicts.slot, gain, loss, stake, slots)


def back_factors(verdicts: Verdicts, passed: Floats, shift: float, slots: int) -> Floats:
    """(slots,) log factors against pass rates of `passed` (slots,) or less, for rates that are higher by `shift`."""
    q = np.clip(passed, 0.02, 0.98)
    stake = shift / (q * (1.0 - q) + shift * np.maximum(1.0 - 2.0 * q, 0.0))
    own = q[verdicts.slot]
    gain = verdicts.passed - own * verdicts.weight
    return per_slot(verdicts.slot, gain, own * verdicts.weight, stake[:, None], slots)[:, 0]


def suspect_factors(
    verdicts: Verdicts, flags: Floats, stake: Floats, slots: int, *, conditional: bool = False
) -> Floats:
    """(slots, k) log factors of `stake` (slots, k) against `flags` per trace, (slots,) or (slots, k).

    With `conditional`, `flags` is only the tolerance, since the expected flags are taken off trace by trace.
    """
    gain = verdicts.conditional if conditional else verdicts.excess
    loss = -(verdicts.least_conditional if conditional else verdicts.least)
    won = per_slot(verdicts.slot, gain, loss, stake, slots)
    against = flags if flags.ndim == 2 else flags[:, None]
    return won - stake * against * verdicts.traces[:, None]


def suspect_back_factors(verdicts: Verdicts, flags: Floats, stake: Floats, slots: int) -> Floats:
    """(slots,) log factors of `stake` (slots,) against `flags` (slots,) per trace or more.

    What a trace wins by being there is paid for by the flags that are drawn. So no stake may be cut where a rare one
    weighs more than it can lose: all of a slot's are, by what any of its traffic could have brought.
    """
    fair = np.minimum(stake, LARGEST_LOSS / np.maximum(verdicts.most, 1e-9))
    won = per_slot(verdicts.slot, -verdicts.excess, verdicts.most[verdicts.slot], fair[:, None], slots)[:, 0]
    return won + fair * flags * verdicts.traces


def suspect_stake(shift: Floats, noise: Floats) -> Floats:
    """(slots, k) stakes that are best for rises of the mean flag by `shift` (slots, k).

    `noise` (slots, 2) is the second moment of u per trace that is expected at the inclusion probabilities used,
    and what a rise of the mean by 1 adds to it.
    """
    return shift / (noise[:, :1] + noise[:, 1:] * shift)
