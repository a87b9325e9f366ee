"""The judge's pass rate, and the share of faithful answers behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.estimate import Refusal, judged_rate, window
from ragvigil.scorer.estimate.figure import Figure, mean_with_lost
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers
from ragvigil.scorer.labels.book import Book
from ragvigil.scorer.labels.level import level_of
from ragvigil.scorer.store.reading_report import Answer
from ragvigil.scorer.watch.gold import Labels

NAME = "faithful answers"
_LEAST_CHANCE = 1e-6
_OWN = "{:,} labels of its own answers"


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


def faithful(sample: Sample, labels: Labels, book: Book | None = None) -> Figure:
    """The level, corrected by labels for the judge's errors; without a value where nobody's labels can tell.

    Which labels, ``ragvigil.scorer.labels.level.level_of`` says: those in `book`, of the service's own answers, first.
    Its interval holds the levels with all verdicts that never came failed and passed.
    """
    rate = judged_rate(
        window(
            verdict=sample.verdict,
            judged=np.ones(len(sample.verdict), dtype=np.bool_),
            inclusion=1.0 / sample.weight,
            conversation=sample.conversation,
            n_traces=sample.answers,
        )
    )
    level = level_of(rate, book, labels)
    found = level.found
    if isinstance(found, Refusal):
        return Figure(NAME, None, None, None, sample.known, note=found.detail)
    whose = "your labels" if level.audit is None or level.by == "file" else _OWN.format(level.audit.labels)
    note = "; ".join((f"corrected for the judge's errors by {whose}", *found.caveats))
    ends = None if found.bounds is None else (found.bounds.lowest.value, found.bounds.highest.value)
    return Figure(NAME, found.value, found.lower, found.upper, found.n_judged, note=note, bounds=ends)


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
