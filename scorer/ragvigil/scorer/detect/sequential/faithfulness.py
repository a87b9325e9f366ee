"""The faithfulness series: what is remembered of it, and which streams deserve a page."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats
from ragvigil.scorer.detect.sequential.burst import SIZES, Burst
from ragvigil.scorer.detect.sequential.canary import Canary
from ragvigil.scorer.detect.sequential.e_detector import EDetector
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.incidents import Incidents, Recent
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
    bursts: list[Burst] = field(default_factory=list[Burst])
    pending: list[Candidate] = field(default_factory=list[Candidate])
    canary: Canary = field(default_factory=Canary)
    asked: int = 0
    noise_base: float = 0.0
    noise_full: float = 0.0

    @staticmethod
    def fresh(settings: MonitorSettings) -> Faithfulness:
        """Nothing seen yet."""
        streams, slots = settings.streams, settings.slots
        return Faithfulness(
            Tripwire.fresh(streams),
            EDetector.fresh(streams, SEGMENT_FALLS.size),
            EDetector.fresh(streams, SEGMENT_FALLS.size),
            np.full(streams, -1e18),
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

    def candidates(self, settings: MonitorSettings, suppressed: Booleans, bar: Floats) -> list[Candidate]:
        """Streams whose evidence is beyond the limit, unless a root cause has been paged for.

        `bar` (streams,) is what bursts have to show beyond theirs.
        """
        found: dict[int, Candidate] = {}
        sizes = fall_sizes(settings.slots)
        for detector, suspects in ((self.plain, False), (self.suspect, True)):
            level, likely = detector.level(), detector.size(sizes)
            for stream in np.flatnonzero((level > settings.ceilings) & self.running() & ~suppressed):
                at = int(stream)
                found[at] = Candidate(at, float(likely[at]), suspects, float(level[at]))
        limit = -float(np.log(settings.confirm))
        for burst in self.bursts:
            if burst.suspects and burst.level() > limit + bar[burst.stream] and not suppressed[burst.stream]:
                weight = np.exp(burst.log - burst.log.max())
                fall = burst.fall * float(SIZES @ weight) / float(weight.sum())
                found.setdefault(burst.stream, Candidate(burst.stream, fall, True, burst.level()))
        return list(found.values())

    def nearly(self, settings: MonitorSettings) -> bool:
        """Whether a candidate is near enough to ask the canary now, so that its answer does not cost a batch."""
        limit = -0.6 * float(np.log(settings.confirm))
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

    def restart_bets(self) -> None:
        """Start over on every stream: the judge is another one."""
        self.restart(np.ones(self.incidents.fall.size, np.bool_))
        self.recent = Recent.fresh(self.incidents.fall.size - 1)
        self.pending, self.asked = [], 0
        self.canary.clear()

    def close_incidents(self, now: float, settings: MonitorSettings, instruments: Instruments) -> None:
        """Close what is over, and watch those streams again from nothing."""
        signal = instruments.signal
        closed = self.incidents.end(
            self.recent, now, settings.mute_hours * 3600.0 / DAY, instruments.youden, signal
        )
        if closed.any():
            closed[-1] = True
            self.restart(closed)


def fall_sizes(slots: int) -> Floats:
    """(streams, k) falls of the faithful share that the always-on bets are placed on."""
    return np.vstack([np.tile(SEGMENT_FALLS, (slots, 1)), OVERALL_FALLS])
