"""The judge's pass rate, and the share of faithful answers behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragvigil.scorer.detect.sequential.gold import calibration_of
from ragvigil.scorer.estimate import Refusal, judged_rate, portable_level, window
from ragvigil.scorer.estimate.figure import Figure, mean_with_lost
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers
from ragvigil.scorer.store.reading_report import Answer
from ragvigil.scorer.watch.gold import Labels

NAME = "faithful answers"
_LEAST_CHANCE = 1e-6
_SHIPPED = "the labels that ship with the judge"


@dataclass(frozen=True, slots=True)
class Sample:
    """What one judge was asked about, as arrays of one length; build it with `asked`."""

    verdict: Integers
    """1 passed, 0 did not, -1 never came."""
    weight: Floats
    """Answers that each stands for, at least 1."""
    conversation: Integers
    answers: int
    """Of the stretch, judged or not."""
    waiting: int
    """Answers whose verdict is still to come."""

    @property
    def known(self) -> int:
        """Verdicts that came."""
        return int((self.verdict >= 0).sum())

    @property
    def lost(self) -> int:
        """Verdicts that never came."""
        return len(self.verdict) - self.known


def asked(answers: Sequence[Answer], groups: Integers, judge: str | None, claims: Booleans) -> Sample:
    """The verdicts of this `judge` on these answers, in order of time, and those that never came.

    A verdict that never came counts with the judge whose verdict came before it (the first, where none did), and where
    `claims` says that the answer makes claims and has evidence: of others there is nothing to judge. One that is still
    to come is neither known nor lost: the queue does not go by what an answer is like, so the rate of those judged so
    far is the rate of all, and bounds for the others would say that a busy judge knows nothing. The wait is bounded
    (`judge.max_wait_seconds`); after it, a verdict is lost. `groups` are the answers' conversations, as codes.
    """
    now = next((one.judge for one in answers if one.judge is not None), None)
    places: list[int] = []
    verdicts: list[int] = []
    waiting = 0
    for place, one in enumerate(answers):
        now = one.judge or now
        if now != judge:
            continue
        if one.passed is not None and one.judge is not None:
            places.append(place)
            verdicts.append(int(one.passed))
        elif one.awaited == "lost" and claims[place]:
            places.append(place)
            verdicts.append(-1)
        waiting += one.awaited == "waits" and bool(claims[place])
    weight = [_weight(answers[place]) for place in places]
    return Sample(
        np.array(verdicts, dtype=np.int64),
        np.array(weight, dtype=np.float64),
        groups[places],
        len(answers),
        waiting,
    )


def pass_rate(sample: Sample) -> Figure:
    """The share of verdicts that passed; the interval holds it with those that never came failed and passed."""
    note = "share of verdicts that passed, not corrected for the judge's errors"
    return mean_with_lost(
        "faithfulness",
        sample.verdict.astype(np.float64),
        sample.verdict < 0,
        sample.conversation,
        weight=sample.weight,
        note=note,
    )


def faithful(sample: Sample, labels: Labels) -> Figure:
    """The level, corrected by labels for the judge's errors; without a value where they cannot tell.

    Rogan and Gladen's estimate with the uncertainty of the pass rate and of the labels:
    ``ragvigil.scorer.estimate.portable_level``. Its interval holds the levels with all verdicts that never came failed
    and passed.
    """
    if labels.source == "none":
        return Figure(NAME, None, None, None, sample.known, note="no labels correct the judge (monitor.gold)")
    rate = judged_rate(
        window(
            verdict=sample.verdict,
            judged=np.ones(len(sample.verdict), dtype=np.bool_),
            inclusion=1.0 / sample.weight,
            conversation=sample.conversation,
            n_traces=sample.answers,
        )
    )
    level = portable_level(rate, calibration_of(labels.gold))
    if isinstance(level, Refusal):
        return Figure(NAME, None, None, None, sample.known, note=level.detail)
    whose = f"{_SHIPPED}, which are of other traffic" if labels.source == "shipped" else "your labels"
    note = "; ".join((f"corrected for the judge's errors by {whose}", *level.caveats))
    ends = None if level.bounds is None else (level.bounds.lowest.value, level.bounds.highest.value)
    return Figure(NAME, level.value, level.lower, level.upper, level.n_judged, note=note, bounds=ends)


def for_band(rate: Figure, level: Figure, labels: Labels) -> Figure:
    """What faithfulness is judged by: the level where people labelled this service's answers, else the pass rate.

    That labels of another set tell of this traffic is an assumption, and no reason to call it better, or worse.
    """
    if level.value is None or level.lower is None or level.upper is None:
        return rate
    if labels.source != "shipped":
        return level
    value, lower, upper = (f"{100.0 * one:.1f} %" for one in (level.value, level.lower, level.upper))
    return replace(
        rate, note=f"{rate.note}; {value} ({lower} to {upper}) by {_SHIPPED}, if they tell of this traffic"
    )


def for_flags(rate: Figure, level: Figure, labels: Labels) -> Figure:
    """The level that red flags go by: with labels of another set, no lower than the pass rate may be."""
    if labels.source != "shipped" or level.upper is None or rate.upper is None:
        return level
    return replace(level, upper=max(level.upper, rate.upper))


def missing_warnings(sample: Sample, *figures: Figure) -> Iterator[str]:
    """What verdicts that never came leave open, and how many are still to come."""
    for one in figures:
        if one.bounds is not None:
            least, most = one.bounds
            yield (
                f"{sample.lost:,} of {len(sample.verdict):,} verdicts never came (ragvigil ledger says why): with all "
                f"of them failed {one.name} would be {least:.1%}, with all passed {most:.1%}."
            )
    if sample.waiting:
        yield f"{sample.waiting:,} answers still wait for their verdict: faithfulness is of the others."


def _weight(answer: Answer) -> float:
    """As stored with the verdict, where there is one."""
    if answer.weight is not None:
        return max(answer.weight, 1.0)
    return max(1.0 / max(answer.inclusion * answer.upstream, _LEAST_CHANCE), 1.0)
