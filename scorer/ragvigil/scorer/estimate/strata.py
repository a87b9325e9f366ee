"""Which judged answers people should read: strata of verdict and cheap score, and Neyman's allocation in two waves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragvigil.scorer.estimate.window import Booleans, Floats, Integers, Window, sums, whole_numbers

CUTS = (0.05, 0.20, 0.50)
"""Quantiles of the cheap score between bins: fine where the unfaithful answers are."""
BINS = len(CUTS) + 1
LABELS = 200
FIRST_WAVE = 0.4
"""Share of the labels drawn on prior guesses; the rest follows what the first showed."""

_GUESS = np.array([0.95, 0.50, 0.12, 0.03, 0.40, 0.08, 0.02, 0.006, 0.30])
"""Guessed rate of unfaithful answers: flagged from low to high cheap score, passed likewise, no verdict."""
_GUESS_LABELS = 4.0
"""Labels that a guess is worth in the second wave."""
_NEYMAN = 0.7
"""The rest is proportional, so that a wrong guess costs little."""
FLOOR = 5
"""Labels that each stratum has at least in the end."""
_FLOOR_FIRST = 3
MISSING = 2 * BINS
"""The stratum of verdicts that never came."""


@dataclass(frozen=True, slots=True)
class Strata:
    """Where each record of a window belongs. Build it with `strata_of`."""

    code: Integers
    """verdict · 4 + bin; 8 for a verdict that never came; -1 for a record that was not judged."""
    bin: Integers | None
    """Bin of the cheap score, of every record; None without cheap scores."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What people are to read next."""

    index: Integers
    """Places in the window, in random order."""
    inclusion: Floats
    """Probability with which each was drawn among the judged of its stratum, to be stored with its label."""


def strata_of(data: Window) -> Strata:
    """Verdict by four bins of the cheap score; verdicts only where there are no cheap scores."""
    if data.cheap is None:
        bins = np.zeros(data.size, dtype=np.int64)
    else:
        edges = np.quantile(data.cheap, CUTS) if data.size else np.zeros(len(CUTS))
        bins = np.searchsorted(edges, data.cheap, side="right").astype(np.int64)
    code = np.where(data.known, data.verdict * BINS + bins, -1)
    code = np.where(data.missing, MISSING, code)
    return Strata(code, None if data.cheap is None else bins)


def next_labels(
    data: Window, strata: Strata, truth: ArrayLike, *, total: int = LABELS, seed: int = 0
) -> Draw:
    """The next wave of labels; empty when `total` are there.

    `truth` holds 1, 0 or -1 (not labelled) for each record. The first wave is 40 % of `total`, by guessed rates;
    the second fills up to Neyman's allocation m_g ~ W_g sqrt(g(1 - g)), .7 of it and .3 proportional, with g
    learnt from the first. At least 5 labels a stratum, so that none is unseen (Zrnic & Candès, arXiv 2403.03208, and
    arXiv 2511.08991 on mixing with uniform). With 2,000 judged and a 95 % faithful service 200 labels give .030.
    """
    truths = whole_numbers("truth", truth)
    done = (truths >= 0) & (strata.code >= 0)
    member = strata.code >= 0
    size = MISSING + 1
    available = np.bincount(strata.code[member], minlength=size).astype(np.float64)
    weight = sums(strata.code[member], 1.0 / data.inclusion[member], size)
    seen = np.bincount(strata.code[done], minlength=size).astype(np.float64)
    bad = sums(strata.code[done], (truths[done] == 0).astype(np.float64), size)
    goal = min(total, int(available.sum()))
    first = int(seen.sum()) == 0
    wave = min(goal, round(FIRST_WAVE * total)) if first else goal - int(seen.sum())
    if wave <= 0:
        return Draw(np.zeros(0, dtype=np.int64), np.zeros(0))
    guess = (bad + _GUESS_LABELS * _GUESS) / (seen + _GUESS_LABELS)
    wanted = neyman(
        weight, guess, wave if first else goal, floor=_FLOOR_FIRST if first else FLOOR, most=available
    )
    more = whole(np.maximum(wanted - seen, 0.0), wave, most=available - seen)
    return _draw(strata.code, done, more, seen, available, np.random.default_rng([seed, int(seen.sum())]))


def covered(code: Integers, labelled: Booleans) -> Integers:
    """Stratum codes, where a stratum without a label joins the nearest bin of the same verdict that has one."""
    member = code >= 0
    counts = np.bincount(code[labelled], minlength=int(code.max()) + 1)
    have = np.flatnonzero(counts)
    target = np.arange(len(counts))
    for stratum in np.flatnonzero(counts == 0):
        distance = np.abs(have - stratum) + len(counts) * (have // BINS != stratum // BINS)
        target[stratum] = have[np.argmin(distance)]
    return np.where(member, target[np.where(member, code, 0)], 0)


def neyman(weight: Floats, rate: Floats, total: int, *, floor: int, most: Floats) -> Floats:
    """Labels of each stratum (not whole numbers), between `floor` and `most`, that add up to `total`."""
    spread: Floats = weight * np.sqrt(rate * (1.0 - rate))
    wanted: Floats = total * (_NEYMAN * spread / spread.sum() + (1.0 - _NEYMAN) * weight / weight.sum())
    least = np.minimum(float(floor), most)
    wanted = np.clip(wanted, least, most)
    for _ in range(50):
        excess = float(wanted.sum()) - total
        free = wanted < most if excess < 0.0 else wanted > least
        if abs(excess) < 1e-6 or not free.any():
            break
        wanted[free] = wanted[free] * (1.0 - excess / float(wanted[free].sum()))
        wanted = np.clip(wanted, least, most)
    return wanted


def whole(wanted: Floats, total: int, *, most: Floats) -> Integers:
    """Whole numbers near `wanted`, none above `most`, that add up to `total` (or to all there are)."""
    scaled = np.minimum(wanted * (total / max(float(wanted.sum()), 1e-9)), most)
    counts = np.floor(scaled).astype(np.int64)
    while counts.sum() < min(total, int(most.sum())):
        room = np.where(counts < most, scaled - counts, -np.inf)
        counts[int(np.argmax(room))] += 1
    return counts


def _draw(
    code: Integers,
    done: Booleans,
    more: Integers,
    seen: Floats,
    available: Floats,
    random: np.random.Generator,
) -> Draw:
    picked = [
        random.permutation(np.flatnonzero((code == stratum) & ~done))[: int(count)]
        for stratum, count in enumerate(more)
    ]
    index = random.permutation(np.concatenate(picked))
    chance = (seen + more) / np.maximum(available, 1.0)
    return Draw(index, chance[code[index]])
