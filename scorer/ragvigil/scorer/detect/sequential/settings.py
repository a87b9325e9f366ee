"""What a monitor is told once: streams, budget, thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from numbers import Integral, Real

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Floats

DAY = 86400.0
"""Seconds."""
LEAST_LEARNING = 0.25
"""Days."""
USUAL_STREAMS = 14
"""12 segments, `other` and overall: what the limits of a burst were chosen for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorSettings:
    """Settings of a `Monitor`; the defaults are those that docs/alert-quality.md measures.

    >>> MonitorSettings(slo=1.2)
    Traceback (most recent call last):
    ...
    ValueError: MonitorSettings.slo is 1.2: give a rate between 0 and 1 (0.9 means 90 %), or None for no floor
    """

    segments: int = 12
    """Segments with series of their own, codes 0 to segments - 1; every other code shares one `other` series."""
    budget: float = 0.10
    """Largest share of all traces that may be judged, bursts and canaries included."""
    base_share: float = 0.72
    """Part of the budget that is spent evenly, all the time; the rest pays for bursts and canaries, and what they
    leave for verdicts on what the cheap score suspects, which tell more of a fall than verdicts anywhere."""
    batch_seconds: float = 1800.0
    """Usual length of a batch; only the false-page arithmetic depends on it."""
    learning_days: float = 7.0
    """Days at the start without any alert."""
    lag_days: int = 14
    """A baseline takes in a day only when it is this old, so that it does not learn a slow fall."""
    days_between_false_pages: float = 90.0
    """Design value over all streams together, for a world as quiet as the baseline."""
    tolerance: float = 0.004
    """A fall of the faithful share that nobody wants to know about."""
    trip: float = 4.5
    """Nats of cheap-score evidence that open a burst on all traffic; 0.7 less do on a segment."""
    suspicion: float = 7.0
    """Log of the e-detector at which a burst is opened by the judge's own evidence."""
    confirm: float = 0.010
    """Chance that a burst opened for nothing ends in a candidate for a page; more than 12 segments share it."""
    burst_cap: int = 1200
    """Most judged traces that a burst on all traffic adds; one on a segment adds a quarter."""
    burst_hours: float = 48.0
    """A burst that has decided nothing by then is closed."""
    cooldown_hours: float = 2.0
    """Pause after a burst on the cheap score that found nothing."""
    check_threshold: float = 16.0
    """Nats of the CUSUM on citations and on empty retrievals."""
    mute_hours: float = 24.0
    """Least time between two pages of one stream and metric."""
    traffic_share: float = 0.2
    """A ticket when there is less than this share of last week's traffic at the same hour."""
    missing_share: float = 0.05
    """A ticket, and no verdict is learned from, when more of the verdicts than this are missing, and than half as much
    again as is usual, by three standard deviations over about an hour. Up to a fifth can become usual, in a week."""
    slo: float | None = None
    """Faithful share below which the level pages for being low, whatever the baseline; None for no floor."""
    burn: float | None = None
    """Pages when errors use the budget of `slo` up this many times as fast as they may; None for no such page."""

    def __post_init__(self) -> None:
        """Refuse what cannot work, by name.

        Raises:
            ValueError: names the field, what it is and what it should be.
        """
        for field in fields(self):
            self._check_type(field.name, str(field.type))
        if not 1 <= self.segments <= 1000:
            raise ValueError(
                f"MonitorSettings.segments is {self.segments}: give a whole number from 1 to 1000; "
                "rarer ones share `other`"
            )
        if self.slo is not None and not 0.0 < self.slo < 1.0:
            raise ValueError(
                f"MonitorSettings.slo is {self.slo}: give a rate between 0 and 1 (0.9 means 90 %), or None for no floor"
            )
        if self.burn is not None and self.slo is None:
            raise ValueError("MonitorSettings.burn needs a budget to burn: give MonitorSettings.slo as well")
        for name in ("budget", "base_share", "confirm", "traffic_share", "missing_share"):
            value = float(getattr(self, name))
            if not 0.0 < value <= 1.0:
                raise ValueError(f"MonitorSettings.{name} is {value}: give a share above 0 and at most 1")
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int | float) and not (math.isfinite(value) and value >= 0.0):
                raise ValueError(f"MonitorSettings.{field.name} is {value}: give a finite number, 0 or more")
        for name in ("days_between_false_pages", "check_threshold"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"MonitorSettings.{name} is {getattr(self, name)}: give a number above 0")
        if self.learning_days < LEAST_LEARNING:
            raise ValueError(
                f"MonitorSettings.learning_days is {self.learning_days}: give {LEAST_LEARNING:g} or more, "
                "or nothing is known that could fall"
            )
        if self.batch_seconds <= 0.0 or self.batch_seconds > DAY:
            raise ValueError(
                f"MonitorSettings.batch_seconds is {self.batch_seconds}: give seconds, up to a day"
            )

    def _check_type(self, name: str, kind: str) -> None:
        """Refuse what is no number, or no whole one where it must be; numpy's become Python's."""
        value = getattr(self, name)
        if value is None and kind.endswith("None"):
            return
        if isinstance(value, bool) or not isinstance(value, Integral if kind == "int" else Real):
            fix = "a whole number, 12 and not 12.0" if kind == "int" else "a number"
            raise ValueError(f"MonitorSettings.{name} is {value!r}: give {fix}")
        if isinstance(value, np.generic):
            object.__setattr__(self, name, value.item())

    @property
    def streams(self) -> int:
        """Series of one metric: the segments, `other`, and overall (the last)."""
        return self.segments + 2

    @property
    def slots(self) -> int:
        """Segments and `other`."""
        return self.segments + 1

    @property
    def confirmed(self) -> float:
        """Nats that a burst has to show: of more streams more are opened for nothing."""
        return math.log(max(1.0, self.streams / USUAL_STREAMS) / self.confirm)

    @property
    def ceilings(self) -> Floats:
        """(streams,) log of the e-detector at which each stream is a candidate for a page.

        An e-detector of average run length A batches for each stream (Shin, Ramdas & Rinaldo, arXiv 2203.03532) and
        each of two families of evidence. A quarter of the false pages are overall's, which most faults move; the
        segments and `other` share the rest.
        """
        batches = self.days_between_false_pages * DAY / self.batch_seconds
        share = np.full(self.streams, 0.75 / self.slots)
        share[-1] = 0.25
        limits: Floats = np.log(np.maximum(2.0, 2.0 * batches / share))
        return limits
