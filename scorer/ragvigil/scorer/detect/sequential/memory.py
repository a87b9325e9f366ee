"""All that a monitor remembers, and the classes that its JSON may name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import Baseline, Day
from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.detect.sequential.budget import Budget
from ragvigil.scorer.detect.sequential.burst import Burst
from ragvigil.scorer.detect.sequential.canary import Canary
from ragvigil.scorer.detect.sequential.check_cusum import CheckCusum
from ragvigil.scorer.detect.sequential.clock import NEVER, EventClock
from ragvigil.scorer.detect.sequential.decaying_rate import DecayingRate
from ragvigil.scorer.detect.sequential.disagreement import Disagreement
from ragvigil.scorer.detect.sequential.e_detector import EDetector
from ragvigil.scorer.detect.sequential.error_budget import ErrorBudget
from ragvigil.scorer.detect.sequential.faithfulness import Candidate, Faithfulness
from ragvigil.scorer.detect.sequential.floor import LevelFloor
from ragvigil.scorer.detect.sequential.gold import GoldSet
from ragvigil.scorer.detect.sequential.incidents import Incidents, Recent
from ragvigil.scorer.detect.sequential.moves import Moves
from ragvigil.scorer.detect.sequential.outages import Outages, Told
from ragvigil.scorer.detect.sequential.settings import MonitorSettings
from ragvigil.scorer.detect.sequential.traffic_watch import TrafficWatch
from ragvigil.scorer.detect.sequential.tripwire import Tripwire
from ragvigil.scorer.detect.sequential.unanswered import Unanswered


@dataclass(slots=True)
class Memory:
    """All that a monitor remembers; its JSON is the monitor's state."""

    faithfulness: Faithfulness
    budget: Budget
    citations: CheckCusum
    retrievals: CheckCusum
    root_cause: Floats
    """(streams,) until when a page of another metric explains a fall."""
    disagreement: Disagreement
    clock: EventClock = field(default_factory=EventClock)
    baseline: Baseline = field(default_factory=Baseline)
    traffic: TrafficWatch = field(default_factory=TrafficWatch)
    floor: LevelFloor = field(default_factory=LevelFloor)
    errors: ErrorBudget = field(default_factory=ErrorBudget)
    muted: dict[str, float] = field(default_factory=dict[str, float])
    """Until when, by kind, metric and stream."""
    citation_outages: Outages = field(default_factory=Outages)
    retrieval_outages: Outages = field(default_factory=Outages)
    judge_version: str | None = None
    new_version: str | None = None
    unknown_since: float | None = None
    """When a version that was not compared yet came first."""
    unknown_last: float = NEVER
    offsets: dict[str, float] = field(default_factory=dict[str, float])
    """Pass rate on the same answers less that of `judge_version`, of other versions that were compared."""
    compared_at: dict[str, float] = field(default_factory=dict[str, float])
    judge_moved: float = 0.0
    """Change of the judge's pass rate on the same answers since the gold set's verdicts; taken off in levels."""
    chosen: float = 0.0
    """Calls of about the last hour."""
    missing: float = 0.0
    """Those of them without a verdict."""
    unanswered: Unanswered = field(default_factory=Unanswered)
    canary_wanted: int = 0
    waited: int = 0
    quiet: Canary = field(default_factory=Canary)
    """Past traces judged again while learning: what that changes when nothing is wrong."""
    moves: Moves = field(default_factory=Moves)

    @staticmethod
    def fresh(settings: MonitorSettings) -> Memory:
        """Nothing seen yet."""
        return Memory(
            Faithfulness.fresh(settings),
            Budget(settings.budget, settings.base_share),
            CheckCusum.fresh(settings.slots),
            CheckCusum.fresh(settings.slots),
            np.full(settings.streams, NEVER),
            Disagreement.fresh(settings.streams),
        )

    def alarmed(self) -> set[int]:
        """Streams about which something is not over: an incident, a burst, a fall that waits, an outage."""
        series = self.faithfulness
        lasting = (
            series.incidents.open,
            self.citations.alarmed_days > 0.0,
            self.retrievals.alarmed_days > 0.0,
        )
        found = {int(stream) for streams in lasting for stream in np.flatnonzero(streams)}
        return found | {one.stream for one in series.bursts} | {one.stream for one in series.pending}

    def forget(self, slots: Collection[int]) -> None:
        """Know nothing of these slots, nor of all traffic where they are all of it."""
        count = self.root_cause.size - 1
        gone = np.isin(np.arange(count + 1), list(slots))
        gone[count] = bool(gone[:count].all())
        self.faithfulness.forget(gone)
        self.baseline.forget(gone[:count])
        self.citations.forget(gone)
        self.retrievals.forget(gone)
        self.disagreement.forget(gone)
        self.root_cause = np.where(gone, NEVER, self.root_cause)
        streams = {str(stream) for stream in np.flatnonzero(gone)}
        self.muted = {key: until for key, until in self.muted.items() if key.split()[-1] not in streams}
        for outages in (self.citation_outages, self.retrieval_outages):
            outages.told = {stream: told for stream, told in outages.told.items() if stream not in streams}


CLASSES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *(MonitorSettings, GoldSet, Memory, Faithfulness, Budget, CheckCusum, EventClock, Baseline, Day),
        *(TrafficWatch, LevelFloor, Tripwire, EDetector, Incidents, Recent, Burst, Candidate, Canary),
        *(Disagreement, ErrorBudget, DecayingRate, Outages, Told, Moves, Unanswered),
    )
}
"""What a saved state may hold, by name."""
