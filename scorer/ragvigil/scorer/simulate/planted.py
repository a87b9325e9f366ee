"""Incidents with a known cause: traffic of a service with many attributes, of which one is at fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ragvigil.scorer.diagnose.evidence import MARGIN, MOST_RECORDS, Dimension, Evidence
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers

Cause = Literal["tenant", "service_version", "model", "index_version", "language"]
CAUSES: tuple[Cause, ...] = get_args(Cause)

_DAY = 86_400.0
_LOOK = 1800.0
_BEFORE = 2 * _DAY
_LONGEST = _DAY
_PAGES, _DROP = 3.891, 0.025
_RATE = 0.1
_SAMPLE = 50


@dataclass(frozen=True, slots=True)
class Planted:
    """One incident."""

    evidence: Evidence
    """As it is known at the page."""
    since: float
    """What the detector believes of the onset, Unix seconds."""
    onset: float
    """The truth."""
    cause: tuple[str, str] | None
    """(dimension, value) at fault; None where all fell alike, or nothing did."""
    paged: bool
    """Whether a detector would have seen a fall within a day; a fall that nobody sees is no incident."""


def planted(cause: Cause | None, seed: int, *, falls: bool = True) -> Planted:
    """Draw one incident; without a `cause` everything falls alike, or with `falls` False nothing does.

    Five to forty thousand answers a day, of which a tenth is judged and all have a cheap score that tells good from bad
    with an AUC of about .8; conversations of two answers on average. Beside the guilty dimension there are noise:
    region (goes with language 17 times in 20), client (goes with tenant), team, topic, and a release at some
    other time that changes nothing. A new value takes a third to all of the traffic.
    """
    # Of its own for every kind: with one stream for all, a model at fault is a version at fault under another name.
    kind = 0 if cause is None else 1 + CAUSES.index(cause)
    random = np.random.default_rng([seed, 7, kind, int(falls)])
    size = int(random.uniform(5_000, 40_000) * (_BEFORE + _LONGEST) / _DAY)
    time = np.sort(random.uniform(0.0, _BEFORE + _LONGEST, size))
    onset = _BEFORE + random.uniform(0.0, 3600.0)
    conversation = np.minimum(np.arange(size) // 40 * 20 + random.integers(0, 20, size), size - 1)
    world = _World(random, conversation, time)
    world.attributes(cause, onset)
    guilty = np.zeros(size, dtype=np.bool_)
    truth: tuple[str, str] | None = None
    if cause is None and falls:
        guilty = time >= onset
    elif cause is not None:
        truth, guilty = world.guilty(cause, onset)
    depth = float(random.uniform(0.04, 0.12) if cause is None else random.uniform(0.15, 0.45))
    faithful = world.outcomes(guilty, depth)
    cheap = world.cheap(faithful, guilty)
    judged = random.random(size) < _RATE
    verdict = np.where(random.random(size) < 0.06, 1.0 - faithful, faithful)
    stream = guilty if cause in ("language", "tenant") else time >= onset
    stop, paged = _stop(time, verdict, judged, cheap, onset, stream)
    since = min(onset + float(random.normal(0.0, 600.0)), stop - 60.0)
    everyone = _thinned(random, time, time < stop, since - MARGIN)
    measured = _thinned(random, time, judged & (time < stop), since - MARGIN)
    kept = everyone | measured
    evidence = Evidence(
        time[kept],
        np.where(measured, verdict, np.nan)[kept],
        np.full(int(kept.sum()), _RATE),
        cheap[kept],
        everyone[kept],
        np.unique(conversation[kept], return_inverse=True)[1],
        tuple(
            Dimension(name, values, codes[kept]) for name, (values, codes) in sorted(world.columns.items())
        ),
    )
    return Planted(evidence, since, onset, truth, paged)


class _World:
    """One service's traffic."""

    def __init__(self, random: np.random.Generator, conversation: Integers, time: Floats) -> None:
        self._random, self._conversation, self._time = random, conversation, time
        self.columns: dict[str, tuple[tuple[str, ...], Integers]] = {}

    def attributes(self, cause: Cause | None, onset: float) -> None:
        """Every column; a release of what is at fault comes at `onset`, another one at any other time."""
        random = self._random
        language = self._of_conversation("language", ("en", "de", "fr", "it", "ja"))
        tenant = self._of_conversation("tenant", tuple(f"tenant-{n}" for n in range(12)))
        self._beside("region", language, 5, 0.85)
        self._beside("client", tenant, 12, 0.7)
        self._of_conversation("team", tuple(f"team-{n}" for n in range(6)))
        self._of_answer("topic", tuple(f"topic-{n}" for n in range(25)))
        for name in ("service_version", "model", "index_version", "prompt_version"):
            at = onset if name == cause else None
            if at is None and name == "prompt_version":
                at = float(random.uniform(0.1, 0.9)) * _BEFORE
            self._release(name, at)

    def guilty(self, cause: Cause, onset: float) -> tuple[tuple[str, str], Booleans]:
        """The value at fault and its answers since the onset: one with 6 % of the answers at least."""
        values, codes = self.columns[cause]
        if cause in ("language", "tenant"):
            shares = np.bincount(codes, minlength=len(values)) / len(codes)
            code = int(self._random.choice(np.flatnonzero((shares >= 0.06) & (shares <= 0.6))))
        else:
            code = 1
        return (cause, values[code]), (codes == code) & (self._time >= onset)

    def outcomes(self, guilty: Booleans, depth: float) -> Floats:
        """1 for a faithful answer; values differ in how hard they are, and answers of a conversation are alike."""
        size = len(guilty)
        hard = np.zeros(size)
        for values, codes in self.columns.values():
            hard += self._random.normal(0.0, 0.012, len(values))[codes]
        mood = self._random.normal(0.0, 0.05, size)[self._conversation]
        rate = np.clip(0.92 + hard + mood - depth * guilty, 0.02, 0.995)
        return (self._random.random(size) < rate).astype(np.float64)

    def cheap(self, faithful: Floats, guilty: Booleans) -> Floats:
        """A score that tells half of a fault's failures as well as the others, and half not at all."""
        blind = guilty & (self._random.random(len(faithful)) < 0.3)
        mean = np.where((faithful > 0.0) | blind, 0.76, 0.60)
        return np.clip(self._random.normal(mean, 0.14), 0.0, 1.0)

    def _of_conversation(self, name: str, values: tuple[str, ...]) -> Integers:
        chosen = self._draw(len(values), len(self._time))[self._conversation]
        self.columns[name] = (values, chosen)
        return chosen

    def _of_answer(self, name: str, values: tuple[str, ...]) -> None:
        self.columns[name] = (values, self._draw(len(values), len(self._time)))

    def _beside(self, name: str, other: Integers, values: int, together: float) -> None:
        same = (self._random.random(len(other)) < together)[self._conversation]
        drawn = self._draw(values, len(other))[self._conversation]
        self.columns[name] = (tuple(f"{name}-{n}" for n in range(values)), np.where(same, other, drawn))

    def _release(self, name: str, at: float | None) -> None:
        size = len(self._time)
        codes = np.zeros(size, dtype=np.int64)
        if at is not None:
            reach = float(self._random.choice([0.33, 0.5, 1.0]))
            chosen = (self._random.random(size) < reach)[self._conversation]
            codes = (chosen & (self._time >= at)).astype(np.int64)
        self.columns[name] = ((f"{name}-1", f"{name}-2"), codes)

    def _draw(self, values: int, size: int) -> Integers:
        shares = self._random.dirichlet(np.full(values, 2.0))
        return self._random.choice(values, size, p=shares).astype(np.int64)


def _thinned(random: np.random.Generator, time: Floats, wanted: Booleans, near: float) -> Booleans:
    """As the store is read: at most so many of what is near, and of what is before."""
    kept = np.zeros(len(time), dtype=np.bool_)
    for part in (wanted & (time < near), wanted & (time >= near)):
        kept |= part & (random.random(len(time)) < MOST_RECORDS / max(int(part.sum()), 1))
    return kept


def _stop(
    time: Floats, verdict: Floats, judged: Booleans, cheap: Floats, onset: float, stream: Booleans
) -> tuple[float, bool]:
    """When a detector pages that looks every half an hour at the answers since the onset, and whether it does.

    It looks at all of them, and at the stream of the guilty segment, and pages by the window rules' default: 50
    verdicts at least, and a fall surely (99.99 %) above half of 5 %. With the cheap score it pages sooner than they.
    """
    slope = float(np.cov(cheap[judged], verdict[judged])[0, 1] / cheap[judged].var())
    both = slope * cheap + np.where(judged, verdict - slope * cheap, 0.0) / _RATE
    early = both[time < onset]
    for stop in np.arange(onset + _LOOK, onset + _LONGEST, _LOOK):
        late = (time >= onset) & (time < stop)
        for seen in (late, late & stream):
            error = np.sqrt(early.var() * (1.0 / len(early) + 1.0 / max(int(seen.sum()), 1)))
            enough = int((seen & judged).sum()) >= _SAMPLE
            if enough and early.mean() - both[seen].mean() - _PAGES * error > _DROP:
                return float(stop), True
    return onset + 4 * _LOOK, False
