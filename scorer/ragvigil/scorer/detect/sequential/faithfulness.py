"""The faithfulness series: what is remembered of it, and which streams deserve a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats
from ragvigil.scorer.detect.sequential.burst import SIZES, Burst
from ragvigil.scorer.detect.sequential.canary import Canary
from ragvigil.scorer.detect.sequential.clock import NEVER
from ragvigil.scorer.detect.sequential.e_detector import DOUBT, EDetector
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.incidents import Incidents, Recent, fell_beyond
from ragvigil.scorer.detect.sequential.settings import DAY, MonitorSettings
from ragvigil.scorer.detect.sequential.tripwire import Tripwire

SEGMENT_FALLS = np.array([0.03, 0.06, 0.10, 0.18, 0.32, 0.50])
OVERALL_FALLS = np.array([0.01, 0.02, 0.035, 0.06, 0.12, 0.25])
"""Falls of the faithful share that the always-on bets are placed on."""


@dataclass(slots=True)
class Candidate:
    """A stream whose evidence deserves a page, if it is not the judge."""

    stream: int
    fall: float
    suspects: bool
    evidence: float
    """Nats."""
    beyond: bool = False
    """Whether it is a segment that fell further than all traffic, which is known to have fallen."""


@dataclass(slots=True)
class Faithfulness:
    """All that is remembered about the faithfulness series. Streams are the slots, then overall."""

    tripwire: Tripwire
    plain: EDetector
    suspect: EDetector
    cooldown: Floats
    """(streams,) no burst by the cheap score before this moment."""
    incidents: Incidents
    recent: Recent
    latest: Recent = field(default_factory=lambda: Recent.fresh(0))
    """As `recent`, over about two hours."""
    bursts: list[Burst] = field(default_factory=list[Burst])
    pending: list[Candidate] = field(default_factory=list[Candidate])
    canary: Canary = field(default_factory=Canary)
    asked: int = 0
    noise_base: float = 0.0
    noise_full: float = 0.0

    def __post_init__(self) -> None:
        """A state that was saved without it knows nothing of the latest."""
        if self.latest.traces.shape != self.recent.traces.shape:
            self.latest = Recent.fresh(self.recent.traces.size)

    @staticmethod
    def fresh(settings: MonitorSettings) -> Faithfulness:
        """Nothing seen yet."""
        streams, slots = settings.streams, settings.slots
        return Faithfulness(
            Tripwire.fresh(streams),
            EDetector.fresh(streams, SEGMENT_FALLS.size),
            EDetector.fresh(streams, SEGMENT_FALLS.size),
            np.full(streams, NEVER),
            Incidents.none(streams),
            Recent.fresh(slots),
        )

    def active(self) -> Booleans:
        """(slots,) what the overall series is summed over."""
        return ~self.incidents.open[:-1]

    def running(self) -> Booleans:
        """(streams,) without an open incident; overall also not while it is itself one."""
        return ~self.incidents.open

    def inside(self, stream: int) -> Booleans:
        """(slots,) what belongs to a stream."""
        slots = self.incidents.fall.size - 1
        return self.active() if stream == slots else np.arange(slots) == stream

    def date(self, now: float) -> None:
        """Note of which streams nothing had begun to fall by `now`."""
        self.plain.date(now)
        self.suspect.date(now)

    def candidates(
        self,
        settings: MonitorSettings,
        instruments: Instruments,
        bar: Floats,
        explained: Callable[[tuple[Floats, Floats]], Booleans],
    ) -> list[Candidate]:
        """Streams whose evidence is beyond the limit, unless what fell was `explained` by a page of another metric.

        `bar` (streams,) is what bursts have to show beyond theirs; `explained` takes when each stream's fall began.
        While it is known that all traffic fell, a segment has to have fallen further.
        """
        found: dict[int, Candidate] = {}
        sizes = fall_sizes(settings.slots)
        all_fell = bool(self.incidents.open[-1])
        for detector, suspects in ((self.plain, False), (self.suspect, True)):
            level, likely = detector.level(), detector.size(sizes)
            known = explained(detector.onset())
            all_fell |= bool(known[-1]) and float(detector.run[-1].max()) > DOUBT
            free = self.running() & ~known
            for stream in np.flatnonzero((level > settings.ceilings) & free):
                at = int(stream)
                found[at] = Candidate(at, float(likely[at]), suspects, float(level[at]))
        free = ~explained(self.suspect.onset())
        for burst in self.bursts:
            if (
                burst.suspects
                and burst.level() > settings.confirmed + bar[burst.stream]
                and free[burst.stream]
            ):
                weight = np.exp(burst.log - burst.log.max())
                fall = burst.fall * float(SIZES @ weight) / float(weight.sum())
                found.setdefault(burst.stream, Candidate(burst.stream, fall, True, burst.level()))
        if not all_fell:
            return list(found.values())
        return [
            replace(one, beyond=one.stream != settings.slots)
            for one in found.values()
            if self._is_news(one, instruments)
        ]

    def _is_news(self, candidate: Candidate, instruments: Instruments) -> bool:
        """Whether it says more than that all traffic fell."""
        suspects, slots = candidate.suspects, self.incidents.fall.size - 1
        return candidate.stream == slots or fell_beyond(
            candidate.stream, self.recent, suspects, self.active(), instruments.response(suspects)
        )

    def nearly(self, settings: MonitorSettings) -> bool:
        """Whether a candidate is near enough to ask the canary now, so that its answer does not cost a batch."""
        limit = 0.6 * settings.confirmed
        if any(burst.suspects and burst.level() > limit for burst in self.bursts):
            return True
        highest = np.maximum(self.plain.level(), self.suspect.level())
        return bool((highest > settings.ceilings - 2.5)[self.running()].any())

    def restart(self, streams: Booleans) -> None:
        """Forget the evidence on these streams."""
        self.plain.restart(streams)
        self.suspect.restart(streams)
        self.tripwire.restart(streams)
        self.bursts = [burst for burst in self.bursts if not streams[burst.stream]]

    def forget(self, streams: Booleans) -> None:
        """Know nothing of these streams (slots, then overall)."""
        self.restart(streams)
        self.cooldown = np.where(streams, NEVER, self.cooldown)
        self.incidents.forget(streams)
        for recent in (self.recent, self.latest):
            recent.forget(streams[:-1])

    def restart_bets(self) -> None:
        """Start over on every stream: the judge is another one."""
        self.restart(np.ones(self.incidents.fall.size, np.bool_))
        self.recent, self.latest = (Recent.fresh(self.incidents.fall.size - 1) for _ in range(2))
        self.pending, self.asked = [], 0
        self.canary.clear()

    def close_incidents(self, now: float, settings: MonitorSettings, instruments: Instruments) -> None:
        """Close what is over, and watch those streams again from nothing."""
        mute_days = settings.mute_hours * 3600.0 / DAY
        closed = self.incidents.end(self.recent, now, mute_days, instruments)
        if closed[-1]:
            self.bursts = []  # they staked on what all traffic has got over
        if closed.any():
            for recent in (self.recent, self.latest):
                recent.forget(closed[:-1] | (closed[-1] & ~self.incidents.open[:-1]))
            # what was seen while all traffic was ill says nothing of a segment now
            level = np.maximum(self.plain.level(), self.suspect.level())
            closed |= closed[-1] & (level > settings.ceilings)
            closed[-1] = True
            self.restart(closed)


def fall_sizes(slots: int) -> Floats:
    """(streams, k) falls of the faithful share that the always-on bets are placed on."""
    return np.vstack([np.tile(SEGMENT_FALLS, (slots, 1)), OVERALL_FALLS])
