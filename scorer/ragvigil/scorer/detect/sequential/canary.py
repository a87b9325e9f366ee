"""Is it the judge? Past traces are judged again before anybody is woken up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.detect.sequential.clock import NEVER

LARGEST = 400
"""Past traces asked for at once."""

LEAST_FALL = 0.045
"""Of the pass rate; a smaller one is judged as if it were this, because a judge that is asked twice flips a few."""

LEAST_MOVE = 0.02
"""Of the pass rate, by which a judge has to move before it is called another one."""

ENOUGH = 100.0
"""Pairs from quiet days below which nothing is said of what judging again does by itself."""
MOST_USUAL = 0.03
"""Of the pass rate, that judging again may bring by itself: it takes 4 % of flips. Beyond, the judge has moved."""

Answer = Literal["judge", "answers", "unsure"]


@dataclass(slots=True)
class Canary:
    """Verdicts of past traces, then and now, summed over the replies that are still fresh."""

    count: float = 0.0
    difference: float = 0.0
    """Sum of new - old."""
    discordant: float = 0.0
    """Sum of (new - old)^2."""
    passed: float = 0.0
    """Sum of old."""
    answered_at: float = NEVER
    usual: float = 0.0
    """Change of the pass rate that judging again brings by itself: a judge that flips a fiftieth of its verdicts
    either way flips mostly passed ones."""
    usual_error: float = 0.0
    known_least: float = 0.0
    """Lowest change that the judge is known to have made since some of the past verdicts were given; at most 0."""
    known_most: float = 0.0

    def expect(self, quiet: Canary, known: tuple[float, float] = (0.0, 0.0)) -> None:
        """Take off what flickers by the replies of `quiet` days, and what is `known` to have changed."""
        self.usual, self.usual_error = quiet.flicker()
        self.known_least, self.known_most = known

    def flicker(self) -> tuple[float, float]:
        """(change of the pass rate that flips either way bring, its standard error); (0, 0) where nothing is known.

        A judge that flips verdicts either way loses more than it gains, when most have passed: (2p - 1) / (1 - p) for
        each that passes now and did not. What those cannot have brought is a judge that moved.
        """
        change = self.difference / max(self.count, 1.0)
        if self.count < ENOUGH or not -MOST_USUAL <= change <= 0.0:
            return 0.0, 0.0
        rate, gained = self.passed / self.count, 0.5 * (self.discordant + self.difference)
        each = max(0.0, 2.0 * rate - 1.0) / max(1.0 - rate, 1e-9)
        most = each * (gained + 2.0 * float(np.sqrt(gained + 1.0))) / self.count
        return max(change, -most), self.error

    def add(
        self, old: npt.NDArray[np.generic], new: npt.NDArray[np.generic], time: float, fresh: float
    ) -> int:
        """Take a reply; one older than `fresh` seconds is forgotten first. Returns how many pairs were usable.

        Raises:
            ValueError: columns of different lengths.
        """
        if np.shape(old) != np.shape(new) or np.ndim(old) != 1:
            raise ValueError(
                f"Monitor.canary: {np.shape(old)} old and {np.shape(new)} new verdicts: give pairs, in one order"
            )
        before, after = _verdicts("old", old), _verdicts("new", new)
        usable = (before >= 0.0) & (after >= 0.0)
        change = (after - before)[usable]
        if time - self.answered_at > fresh:
            self.clear()
        self.count += change.size
        self.difference += float(change.sum())
        self.discordant += float((change**2).sum())
        self.passed += float(before[usable].sum())
        self.answered_at = time
        return int(change.size)

    def clear(self) -> None:
        """Forget the replies."""
        self.count = self.difference = self.discordant = self.passed = 0.0

    @property
    def mean(self) -> float:
        """Change of the pass rate on the same answers, beyond what is usual and known."""
        change = self.difference / max(self.count, 1.0) - self.usual
        return change - min(max(change, self.known_least), self.known_most)

    @property
    def error(self) -> float:
        """Standard error of `mean`, that of the usual included; two imagined changes keep it above 0."""
        count = max(self.count, 1.0)
        change = self.difference / count
        variance = max((self.discordant + 2.0) / count - change**2, 1e-4) / count
        return float(np.sqrt(variance + self.usual_error**2))

    @property
    def moved(self) -> bool:
        """Whether the judge says something else of the same answers, for sure and by enough."""
        return self.count > 0 and abs(self.mean) > max(3.0 * self.error, LEAST_MOVE)

    def explains(self, fall: float, least: float = 1.0) -> Answer:
        """Whether a fall of the pass rate by `fall` is the judge's doing: where `mean` lies between 0 and -fall.

        A judge that moved for sure is believed to be all of it unless more than it moved fell for sure (`least`).
        """
        if -self.mean > max(3.0 * self.error, LEAST_MOVE) and least < -self.mean:
            return "judge"
        distance = self._beyond_half(fall) / self.error
        if distance > 1.5:
            return "judge"
        if distance < -1.5:
            return "answers"
        return "unsure"

    def likelier_the_judge(self, fall: float) -> bool:
        """The best guess where `explains` is unsure."""
        return self._beyond_half(fall) > 0.0

    def _beyond_half(self, fall: float) -> float:
        return -self.mean - 0.5 * max(fall, LEAST_FALL)


def _verdicts(name: str, column: npt.NDArray[np.generic]) -> Floats:
    """The column as floats, when it holds verdicts."""
    values = np.asarray(column)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"Monitor.canary: {name} verdicts are {values.dtype}: give 1, 0, or -1 for none")
    verdicts: Floats = values.astype(np.float64)
    wrong = verdicts[(verdicts < -1.0) | (verdicts > 1.0)]
    if wrong.size:
        raise ValueError(f"Monitor.canary: {name} verdicts hold {wrong[0]:g}: give 1, 0, or -1 for none")
    return verdicts
