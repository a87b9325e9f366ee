"""Is it the judge? Past traces are judged again before anybody is woken up."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

MOST_SCALE = 3.0
"""Times by which a change among the past traces is scaled to the traffic at most, either way."""

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
    rate: float | None = None
    """Pass rate of the service's traffic, while the past traces are those that were judged: bursts look for suspects,
    so that fewer of them passed. None: they are taken to be like the traffic."""

    def expect(
        self, quiet: Canary, known: tuple[float, float] = (0.0, 0.0), rate: float | None = None
    ) -> None:
        """Take off what flickers by the replies of `quiet` days, and what is `known` to have changed.

        The share `rate` of the traffic passes.
        """
        self.rate = rate
        self.usual, self.usual_error = replace(quiet, rate=rate).flicker()
        self.known_least, self.known_most = known

    def flicker(self) -> tuple[float, float]:
        """(change of the pass rate that flips either way bring, its standard error); (0, 0) where nothing is known.

        A judge that flips a share f of its verdicts either way loses (2q - 1) f where the share q passes, and f shows
        in those that had not passed. What that cannot have brought is a judge that moved.
        """
        change = self._change
        if self.count < ENOUGH or not -MOST_USUAL <= change <= 0.0:
            return 0.0, 0.0
        gained, failed = 0.5 * (self.discordant + self.difference), self.count - self.passed
        flips = (gained + 2.0 * float(np.sqrt(gained + 1.0))) / max(failed, 1.0)
        rate = self.passed / self.count if self.rate is None else self.rate
        return max(change, -max(0.0, 2.0 * rate - 1.0) * flips), self.error

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
        change = self._change - self.usual
        return change - min(max(change, self.known_least), self.known_most)

    @property
    def error(self) -> float:
        """Standard error of `mean`, that of the usual included; two imagined changes keep it above 0."""
        count = max(self.count, 1.0)
        variance = max((self.discordant + 2.0) / count - (self.difference / count) ** 2, 1e-4) / count
        return float(np.sqrt(self._scale**2 * variance + self.usual_error**2))

    @property
    def _scale(self) -> float:
        """What a change among the past traces is in traffic, of which more or fewer pass.

        A judge that became stricter takes from what passes, a more lenient one from what does not. Only the net change
        is scaled: gains and losses that cancel are a judge that says something else each time, and no move.
        """
        if self.rate is None:
            return 1.0
        own = self.passed / max(self.count, 1.0)
        there, here = (self.rate, own) if self.difference < 0.0 else (1.0 - self.rate, 1.0 - own)
        return float(np.clip(there / max(here, 1e-9), 1.0 / MOST_SCALE, MOST_SCALE))

    @property
    def _change(self) -> float:
        return self._scale * self.difference / max(self.count, 1.0)

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
